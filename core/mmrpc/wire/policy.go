package wire

import (
	"errors"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/signer/device"
)

// KeyFailure returns errors of providers and of key.As with the kind PrivKeyNotAllowed, and
// errors of external wallets and devices with their own kinds. Other errors, and nil, are
// returned unchanged.
func KeyFailure(err error) error {
	if hardware, is := errors.AsType[*device.Error](err); is {
		return deviceFailure(err, hardware)
	}
	var wallet *key.WalletError
	if errors.As(err, &wallet) {
		return walletKind(wallet.Fault).From(err, err.Error(), err.Error())
	}
	var refused *key.NotAllowedError
	if !errors.As(err, &refused) && !errors.Is(err, key.ErrUnsupported) {
		return err
	}
	return mmerr.PrivKeyNotAllowed.From(err, err.Error(), "Private key is not allowed: "+err.Error())
}

func walletKind(fault key.WalletFault) mmerr.Kind[string] {
	switch fault {
	case key.WalletNotFound:
		return mmerr.WalletNotFound
	case key.WalletRefused:
		return mmerr.WalletRefused
	case key.WalletTimeout:
		return mmerr.WalletTimeout
	case key.WalletWrongChain:
		return mmerr.WalletWrongChain
	case key.WalletSwitched:
		return mmerr.WalletSwitched
	case key.WalletGone:
		return mmerr.WalletGone
	}
	return mmerr.WalletFailed
}

// KeyKinds returns the kinds of errors that KeyFailure returns.
func KeyKinds() []rpc.ErrorKind {
	all := Kinds(mmerr.PrivKeyNotAllowed)
	for _, fault := range key.WalletFaults() {
		all = append(all, Kinds(walletKind(fault))...)
	}
	return append(all, DeviceKinds()...)
}
