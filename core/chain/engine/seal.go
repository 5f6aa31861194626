package engine

import (
	"time"

	"obverse/core/chain/cc"
	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// AnyProducer accepts every header: nothing but the rules of package consensus
// stands between a block and the chain. It is for replays and regtest.
type AnyProducer struct{}

// Check accepts.
func (AnyProducer) Check(*wire.Header, int, []params.Stamp) error { return nil }

// NextBits is komodod's rule, which nothing here asks blocks to keep.
func (AnyProducer) NextBits(before []params.Stamp, p *params.Params) uint32 {
	return p.NextBits(before)
}

// ErrSolution is the verdict on a header that the producer did not sign.
var ErrSolution = &consensus.Rejection{Code: consensus.RejectInvalid, Reason: "invalid-solution"}

// Solo accepts blocks of one producer: constant bits, no nonce, and the producer's
// signature over the header where others have an Equihash solution.
type Solo struct {
	Producer token.Key // compressed public key
	Now      func() time.Time
}

// Check judges a header. Its time may be a little ahead of the clock or of the chain,
// whichever is later: by the clock alone, a clock that is set back would stop the chain
// until it has caught up.
func (s Solo) Check(h *wire.Header, _ int, before []params.Stamp) error {
	latest := s.Now().Unix()
	if len(before) > 0 {
		latest = max(latest, int64(params.MedianTime(before)))
	}
	switch {
	case h.Bits != params.WorkLimitBits:
		return consensus.ErrBits
	case int64(h.Time) > latest+params.MaxFutureSeconds:
		return consensus.ErrTimeTooNew
	case !h.Nonce.IsZero() || !cc.VerifySecp256k1(s.Producer[:], sealHash(h), h.Solution):
		return ErrSolution
	}
	return nil
}

// NextBits never change.
func (Solo) NextBits([]params.Stamp, *params.Params) uint32 { return params.WorkLimitBits }

// Validators accepts the blocks that several validators agreed on: constant bits, no nonce
// and no seal. Their agreement is outside the block, so only a Shared may submit one.
// Their time is the validators' too, which no clock judges again.
type Validators struct {
	From int // height of their first block
}

// Check judges a header.
func (v Validators) Check(h *wire.Header, height int, _ []params.Stamp) error {
	switch {
	case h.Bits != params.WorkLimitBits:
		return consensus.ErrBits
	case height < v.From || !h.Nonce.IsZero() || len(h.Solution) != 0:
		return ErrSolution
	}
	return nil
}

// NextBits never change.
func (Validators) NextBits([]params.Stamp, *params.Params) uint32 { return params.WorkLimitBits }

// sealHash returns the hash that the producer signs: the header before the solution.
func sealHash(h *wire.Header) []byte {
	hash := wire.HashOf(h.AppendUnsolved(make([]byte, 0, wire.HeaderSize)))
	return hash[:]
}
