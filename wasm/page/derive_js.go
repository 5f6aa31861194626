package main

import (
	"context"
	"fmt"

	"obverse/core/key/walletfile"
	"obverse/wasm/jsval"
)

// Sizes, in bytes, of the data that threads exchange: both salts, and both keys.
const (
	saltSize = 16
	keySize  = 32
)

// kdf derives keys in another thread, if the host has one for it. In this thread, all calls would wait
// for it, and its memory would never be freed.
func (h *host) kdf(ctx context.Context, password []byte, salts [2][]byte, p walletfile.Params) (keys [2][]byte, err error) {
	both := append(append([]byte{}, salts[0]...), salts[1]...)
	answer, err := h.object.Call("derive", password, both, int(p.Memory), int(p.Passes), int(p.Lanes))
	if err == nil {
		answer, err = jsval.Await(ctx, answer)
	}
	if ctx.Err() != nil {
		return keys, ctx.Err()
	}
	derived, notBytes := answer.Bytes()
	if err != nil || notBytes != nil || len(derived) != 2*keySize {
		return walletfile.Argon2id(ctx, password, salts, p) // without another thread, the right password still opens the wallet
	}
	return [2][]byte{derived[:keySize], derived[keySize:]}, nil
}

// derive runs kdf in an instance of this program that does nothing else.
func (b *bridge) derive(args []jsval.Value) (any, error) {
	password, err := jsval.Arg(args, 0).Bytes()
	if err != nil {
		return nil, err
	}
	defer clear(password)
	salts, err := jsval.Arg(args, 1).Bytes()
	if err != nil || len(salts) != 2*saltSize {
		return nil, fmt.Errorf("derive: got salts of %d bytes, want %d", len(salts), 2*saltSize)
	}
	var cost [3]int64
	for i := range cost {
		if cost[i], err = jsval.Arg(args, 2+i).Whole(); err != nil {
			return nil, err
		}
	}
	params := walletfile.Params{Memory: uint32(cost[0]), Passes: uint32(cost[1]), Lanes: uint8(cost[2])}
	keys, err := walletfile.Argon2id(context.Background(), password, [2][]byte{salts[:saltSize], salts[saltSize:]}, params)
	if err != nil {
		return nil, err
	}
	return append(keys[0], keys[1]...), nil
}
