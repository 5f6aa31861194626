package daemon

import (
	"context"

	"obverse/core/rpc"
)

func (b *Backend) lockMethods() []rpc.Method {
	method := func(name, usage, summary string, refused error) rpc.Method {
		return rpc.Handle(name, rpc.Doc{Usage: usage, Summary: summary, Category: categoryWallet,
			Detail: "The wallet has no separate passphrase. Its keys are derived from the node's key, which is encrypted in a named wallet; the node requests its password at the start.",
		}, func(context.Context, passphraseParams) (any, error) { return nil, refused }).Gives(nil)
	}
	unencrypted := func(name string) error {
		return &Error{CodePlain, "Error: running with an unencrypted wallet, but " + name + " was called."}
	}
	return []rpc.Method{
		method("encryptwallet", `encryptwallet "passphrase"`, "Return an error: the node's key is encrypted in a named wallet", &Error{CodeEncrypt, "Error: wallet encryption is disabled."}),
		method("walletpassphrase", `walletpassphrase "passphrase" timeout`, "Return an error: the wallet has no passphrase", unencrypted("walletpassphrase")),
		method("walletpassphrasechange", `walletpassphrasechange "oldpassphrase" "newpassphrase"`, "Return an error: change_mnemonic_password of the node API changes the password of a named wallet", unencrypted("walletpassphrasechange")),
		method("walletlock", "walletlock", "Return an error: the wallet has no passphrase that could unlock it again", unencrypted("walletlock")),
	}
}

// passphraseParams are ignored.
type passphraseParams struct {
	First  unreadText `json:"passphrase" rpc:"optional" doc:"ignored"`
	Second unreadText `json:"second" rpc:"optional" doc:"ignored"`
	Third  unreadText `json:"third" rpc:"optional" doc:"ignored"`
}
