package trezor

import (
	"context"
	"crypto/sha256"
	"time"

	//lint:ignore SA1019 a Trezor is named by a hash with RIPEMD-160
	"golang.org/x/crypto/ripemd160"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
)

// identityPath is where upstream has the key of a wallet's name: Komodo DeFi Framework,
// crypto/src/hw_ctx.rs.
func identityPath() key.Path {
	return key.Path{44 + key.Hardened, 141 + key.Hardened, key.Hardened - 1, 0, 0}
}

// Identify connects to the device of an ID, or to the only one, for which it waits as long
// as patience, and has its user enter the PIN and the passphrase if it asks for them.
func (c *Client) Identify(ctx context.Context, id string, patience time.Duration) (i device.Identity, err error) {
	err = c.talk(ctx, id, patience, func(s *session) error {
		i.Model, i.ID, i.Label = s.features.Model, s.features.ID, s.features.Label
		public, err := s.identity(ctx)
		if err != nil {
			return err
		}
		sum, hash := sha256.Sum256(public[:]), ripemd160.New()
		hash.Write(sum[:]) // never fails
		copy(i.Wallet[:], hash.Sum(nil))
		return nil
	})
	return i, err
}

func (s *session) identity(ctx context.Context) (public [33]byte, err error) {
	const what = "getting the wallet's name"
	request := body(nil).path(1, identityPath()).text(2, "secp256k1").text(4, "Komodo").yes(6)
	all, err := s.call(ctx, what, Message{KindGetPublicKey, request}, KindPublicKey)
	if err != nil {
		return public, err
	}
	return nodeKey(what, all)
}

// nodeKey reads the public key in the answer to a request for one.
func nodeKey(what string, all Fields) (public [33]byte, err error) {
	node, _ := all.Bytes(1)
	fields, ok := ReadFields(node)
	if !ok {
		return public, device.Failf(device.InvalidAnswer, "%s: invalid answer of %d bytes from the device", what, len(node))
	}
	point, _ := fields.Bytes(6)
	return device.PublicKey(what, point)
}

// Connected reports whether the device of an ID is plugged in, or the only one if id is
// empty. It does not disturb what the device shows.
func (c *Client) Connected(ctx context.Context, id string) (bool, error) {
	all, err := c.Port.List(ctx)
	if err != nil {
		return false, err
	}
	_, err = device.Choose(all, id)
	return err == nil || device.Is(err, device.Several), nil
}
