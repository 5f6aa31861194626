// Package wallets implements the methods of the node API for stored wallets and their recovery
// phrases. core/key/wallets does the work.
//
// Source: Komodo DeFi Framework's lp_wallet.
//
// Invariant: only get_mnemonic returns a secret.
package wallets

import (
	"context"
	"encoding/json"
	"errors"

	"obverse/core/config"
	"obverse/core/key/walletfile"
	"obverse/core/key/wallets"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

const categoryWallets = "Wallets"

// Wallets is the area of the methods for wallets stored by name. The config with which the node
// is started determines the open wallet.
type Wallets struct {
	Wallets NamedWallets // nil if this platform cannot store wallets
	Weak    bool         // the setting allow_weak_password
}

// NamedWallets are the wallets stored on a platform. *wallets.Wallets implements it. Platforms
// that cannot store wallets do not link that code.
type NamedWallets interface {
	Active() string
	Names(ctx context.Context) ([]string, error)
	Encrypted(ctx context.Context) (json.RawMessage, error)
	Phrase(ctx context.Context, password []byte) (string, error)
	ChangePassword(ctx context.Context, current, next []byte, weak bool) error
	Delete(ctx context.Context, name string, password []byte) error
}

// Methods implements Area.
func (w Wallets) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_wallet_names", rpc.Doc{
			Summary: "List the stored wallets and report which one is open", Category: categoryWallets,
		}, w.names).Unread().Raises(wire.Kinds(mmerr.WalletsStorageError)...),
		rpc.Handle("get_mnemonic", rpc.Doc{
			Summary: "Return the recovery phrase of the open wallet",
			Detail: "The encrypted phrase has the format of the wallet file, which a config with `wallet_name` and `wallet_password` accepts as `passphrase`. " +
				"The plain text requires the password of the wallet.",
			Category: categoryWallets,
		}, w.mnemonic).Raises(wire.Kinds(mmerr.InvalidRequest, mmerr.InvalidPassword, mmerr.Internal, mmerr.WalletsStorageError)...),
		rpc.Handle("change_mnemonic_password", rpc.Doc{
			Summary: "Change the password of the open wallet", Category: categoryWallets,
		}, w.changePassword).Raises(wire.Kinds(mmerr.PasswordPolicyViolation, mmerr.InvalidPassword, mmerr.Internal, mmerr.WalletsStorageError)...),
		rpc.Handle("delete_wallet", rpc.Doc{
			Summary: "Delete a wallet that is not open", Detail: "The method deletes only the wallet file and keeps the data of the coins.", Category: categoryWallets,
		}, w.remove).Raises(wire.Kinds(mmerr.InvalidRequest, mmerr.InvalidPassword, mmerr.WalletsStorageError)...),
	}
}

type walletNames struct {
	Names  []string `json:"wallet_names" doc:"names of the wallets, in alphabetical order"`
	Active *string  `json:"activated_wallet" doc:"name of the open wallet; null if the node was started without a wallet"`
}

func (w Wallets) names(ctx context.Context, _ struct{}) (walletNames, error) {
	result := walletNames{Names: []string{}}
	if w.Wallets == nil {
		return result, nil
	}
	names, err := w.Wallets.Names(ctx)
	if err != nil {
		return result, walletsStorage(err)
	}
	result.Names = append(result.Names, names...)
	if active := w.Wallets.Active(); active != "" {
		result.Active = &active
	}
	return result, nil
}

type mnemonicParams struct {
	Format   mnemonicFormat `json:"format"`
	Password string         `json:"password" default:"" doc:"password of the wallet; required for plaintext"`
}

// mnemonicFormat is the format in which get_mnemonic returns a phrase.
type mnemonicFormat string

const (
	formatEncrypted mnemonicFormat = "encrypted"
	formatPlaintext mnemonicFormat = "plaintext"
)

// Values implements rpc.Enum.
func (mnemonicFormat) Values() []string {
	return []string{string(formatEncrypted), string(formatPlaintext)}
}

type mnemonicResult struct {
	Format    mnemonicFormat  `json:"format"`
	Encrypted json.RawMessage `json:"encrypted_mnemonic_data,omitempty" doc:"contents of the wallet file"`
	Mnemonic  string          `json:"mnemonic,omitempty"`
}

func (w Wallets) mnemonic(ctx context.Context, p mnemonicParams) (result mnemonicResult, err error) {
	result.Format = p.Format
	if w.active() == "" {
		return result, noWallet()
	}
	if p.Format == formatEncrypted {
		result.Encrypted, err = w.Wallets.Encrypted(ctx)
	} else {
		result.Mnemonic, err = w.Wallets.Phrase(ctx, []byte(p.Password))
	}
	return result, walletFailure(err)
}

type changePasswordParams struct {
	Current string `json:"current_password"`
	New     string `json:"new_password" doc:"new password; must comply with the password rules unless allow_weak_password is set"`
}

func (w Wallets) changePassword(ctx context.Context, p changePasswordParams) (*struct{}, error) {
	if w.active() == "" {
		return nil, w.unchanged(p.New)
	}
	return nil, walletFailure(w.Wallets.ChangePassword(ctx, []byte(p.Current), []byte(p.New), w.Weak))
}

// unchanged returns the error for a password change without an open wallet. It checks the new
// password first, as Komodo DeFi Framework does.
func (w Wallets) unchanged(password string) error {
	if err := config.CheckPassword(password); err != nil && !w.Weak {
		return walletFailure(err)
	}
	return noWallet()
}

type deleteWalletParams struct {
	Name     string `json:"wallet_name"`
	Password string `json:"password" doc:"password of that wallet"`
}

func (w Wallets) remove(ctx context.Context, p deleteWalletParams) (*struct{}, error) {
	if w.Wallets == nil {
		return nil, invalidWalletRequest(wallets.ErrNotFound, "Wallet '"+p.Name+"' not found.")
	}
	err := w.Wallets.Delete(ctx, p.Name, []byte(p.Password))
	switch {
	case errors.Is(err, wallets.ErrActive):
		return nil, invalidWalletRequest(err, "Cannot delete wallet '"+p.Name+"' as it is currently active.")
	case errors.Is(err, wallets.ErrNotFound):
		return nil, invalidWalletRequest(err, "Wallet '"+p.Name+"' not found.")
	}
	return nil, walletFailure(err)
}

func (w Wallets) active() string {
	if w.Wallets == nil {
		return ""
	}
	return w.Wallets.Active()
}

// The following texts are equal to those of Komodo DeFi Framework (mm2_main/src/lp_wallet.rs),
// since clients search them.

func noWallet() error {
	reason := wallets.ErrNoneActive.Error()
	return mmerr.Internal.From(wallets.ErrNoneActive, reason, "Internal error: "+reason+" (the node was started without a named wallet: set wallet_name in its config)")
}

func invalidWalletRequest(cause error, reason string) error {
	return mmerr.InvalidRequest.From(cause, reason, "Invalid request error: "+reason)
}

func walletsStorage(err error) error {
	const reason = "the wallet files cannot be read or written"
	return mmerr.WalletsStorageError.From(err, reason, "Wallets storage error: "+reason)
}

// walletFailure converts an error of package wallets to an error of a method.
func walletFailure(err error) error {
	var weak config.PasswordError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, walletfile.ErrPassword):
		const reason = "Error decrypting mnemonic: HMAC error: MAC tag mismatch"
		return mmerr.InvalidPassword.From(err, reason, "Invalid password error: "+reason+" (the wallet's password is wrong, or its file was altered)")
	case errors.As(err, &weak):
		return mmerr.PasswordPolicyViolation.From(err, weak.Error(), "Password does not meet policy requirements: "+weak.Error())
	case errors.Is(err, wallets.ErrNoPassword), errors.Is(err, wallets.ErrLongPassword):
		reason := err.Error()
		return mmerr.PasswordPolicyViolation.From(err, reason, "Password does not meet policy requirements: "+reason)
	case errors.Is(err, wallets.ErrNoneActive):
		return noWallet()
	case errors.Is(err, wallets.ErrName), errors.Is(err, wallets.ErrNotFound), errors.Is(err, walletfile.ErrFormat):
		return invalidWalletRequest(err, err.Error())
	}
	return walletsStorage(err)
}
