package daemon

import (
	"context"

	"obverse/core/rpc"
)

func (b *Backend) lockMethods() []rpc.Method {
	method := func(name, usage, summary string, refused error) rpc.Method {
		return rpc.Handle(name, rpc.Doc{Usage: usage, Summary: summary, Category: categoryWallet,
			Detail: "This wallet has no passphrase of its own: the key from which its keys are derived is encrypted in a named wallet, whose password the node asks for when it starts.",
		}, func(context.Context, passphraseParams) (any, error) { return nil, refused }).Gives(nil)
	}
	unencrypted := func(name string) error {
		return &Error{-15, "Error: running with an unencrypted wallet, but " + name + " was called."}
	}
	return []rpc.Method{
		method("encryptwallet", `encryptwallet "passphrase"`, "Refuse: the node's key is encrypted in a named wallet", &Error{-16, "Error: wallet encryption is disabled."}),
		method("walletpassphrase", `walletpassphrase "passphrase" timeout`, "Refuse: there is no passphrase to ask for", unencrypted("walletpassphrase")),
		method("walletpassphrasechange", `walletpassphrasechange "oldpassphrase" "newpassphrase"`, "Refuse: change_mnemonic_password of the node API changes the password of a named wallet", unencrypted("walletpassphrasechange")),
		method("walletlock", "walletlock", "Refuse: there is no passphrase with which the wallet could be opened again", unencrypted("walletlock")),
	}
}

// passphraseParams are not read.
type passphraseParams struct {
	First  unreadText `json:"passphrase" rpc:"optional" doc:"read by no one"`
	Second unreadText `json:"second" rpc:"optional" doc:"read by no one"`
	Third  unreadText `json:"third" rpc:"optional" doc:"read by no one"`
}
