package ledgertest

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
)

// ethereumRequest is a request to sign, with the tokens that were described before.
type ethereumRequest struct {
	instruction byte // 0 means none
	path        key.Path
	length      int // length of a text
	data        []byte
	tokens      map[tokenID]token
}

// tokenID identifies a token, and token is its description on the device.
type (
	tokenID struct {
		chain    uint32
		contract address.Address
	}
	token struct {
		ticker   string
		decimals uint32
	}
)

func (d *Device) ethereumApp(ctx context.Context, c command) answer {
	if c.class != 0xe0 {
		return status(noClass)
	}
	switch c.instruction {
	case 0x02:
		return d.ethereumAddress(ctx, c)
	case 0x04, 0x08:
		return d.ethereumStream(ctx, c)
	case 0x06:
		var s Settings
		d.do(func() { s = d.settings })
		v, flags := s.Versions["Ethereum"], byte(0x02)
		if s.BlindSigning {
			flags |= 0x01
		}
		return answer{[]byte{flags, v[0], v[1], v[2]}, ok}
	case 0x0a:
		return d.describe(c.data)
	case 0x0c:
		return d.typedData(ctx, c)
	}
	return status(noInstruction)
}

// ethereumPath parses a path with its length before it.
func ethereumPath(b []byte) (path key.Path, rest []byte, good bool) {
	if len(b) == 0 || b[0] == 0 || b[0] > 10 || len(b) < 1+4*int(b[0]) {
		return nil, nil, false
	}
	for i := range int(b[0]) {
		path = append(path, binary.BigEndian.Uint32(b[1+4*i:]))
	}
	return path, b[1+4*len(path):], true
}

func (d *Device) ethereumAddress(ctx context.Context, c command) answer {
	path, rest, good := ethereumPath(c.data)
	if !good || len(rest) != 0 && len(rest) != 8 {
		return status(invalid)
	}
	public := d.PublicKey(path)
	point, err := address.Uncompress(public)
	if err != nil {
		return status(invalid)
	}
	account, err := address.FromKey(public)
	if err != nil {
		return status(invalid)
	}
	if c.p1 == 1 && !d.show(ctx, []string{"Address: " + account.String(), "Network: " + strconv.FormatUint(new(big.Int).SetBytes(rest).Uint64(), 10)}) {
		return status(notSatisfied)
	}
	b := append([]byte{byte(len(point))}, point[:]...)
	digits := account.String()[2:]
	return answer{append(append(b, byte(len(digits))), digits...), ok}
}

// ethereumStream receives a transaction or a text in parts.
func (d *Device) ethereumStream(ctx context.Context, c command) answer {
	if c.p2 != 0 || c.p1 != 0 && c.p1 != 0x80 {
		return status(wrongP1P2)
	}
	var r ethereumRequest
	inApp := d.inApp()
	inApp(func() { r = d.ethereum })
	data := c.data
	if c.p1 == 0 {
		path, rest, good := ethereumPath(data)
		if !good {
			return status(invalid)
		}
		r = ethereumRequest{instruction: c.instruction, path: path, tokens: r.tokens}
		if data = rest; c.instruction == 0x08 {
			if len(data) < 4 {
				return status(invalid)
			}
			r.length, data = int(binary.BigEndian.Uint32(data)), data[4:]
		}
	} else if r.instruction != c.instruction {
		return status(notAllowed)
	}
	r.data = append(r.data, data...)
	inApp(func() { d.ethereum = r })
	a, done := d.ethereumReview(ctx, r)
	if done {
		inApp(func() { d.ethereum = ethereumRequest{tokens: d.ethereum.tokens} })
	}
	return a
}

// ethereumReview shows and signs a complete request.
func (d *Device) ethereumReview(ctx context.Context, r ethereumRequest) (a answer, done bool) {
	if r.instruction == 0x08 {
		if len(r.data) < r.length {
			return status(ok), false
		}
		if len(r.data) > r.length {
			return status(invalid), true
		}
		hash := address.Keccak([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(r.length)), r.data)
		return d.approve(ctx, []string{"Message: " + string(r.data)}, r.path, hash, 27), true
	}
	t, s := readTransaction(r.data)
	if s != ok || t == nil {
		return status(s), s != ok
	}
	screen, s := d.describeTransaction(*t, r.tokens)
	if s != ok {
		return status(s), true
	}
	return d.approve(ctx, screen, r.path, address.Keccak(r.data), t.v()), true
}

// describeTransaction returns the screens for a transaction.
func (d *Device) describeTransaction(t transaction, tokens map[tokenID]token) (screen []string, s uint16) {
	screen = []string{"Network: " + t.chain.String(), "Max fees: " + new(big.Int).Mul(t.price, t.gas).String()}
	if len(t.data) == 0 {
		return append(screen, "Amount: "+t.value.String(), "To: "+t.to.String()), ok
	}
	if word, is := tokens[tokenID{uint32(t.chain.Uint64()), t.to}]; is && len(t.data) == 68 {
		to := address.Address(t.data[16:36])
		switch binary.BigEndian.Uint32(t.data) {
		case 0xa9059cbb, 0x095ea7b3:
			amount := new(big.Int).SetBytes(t.data[36:])
			return append(screen, fmt.Sprintf("Amount: %s (%d decimals) %s", amount, word.decimals, word.ticker), "To: "+to.String()), ok
		}
	}
	var blind bool
	if d.do(func() { blind = d.settings.BlindSigning }); !blind {
		return nil, invalid
	}
	return append(screen, "Blind signing", "Amount: "+t.value.String(), "To: "+t.to.String(), "Data: "+hex.EncodeToString(t.data)), ok
}

// typedData shows and signs two hashes.
func (d *Device) typedData(ctx context.Context, c command) answer {
	if c.p1 != 0 || c.p2 != 0 {
		return status(wrongP1P2)
	}
	var blind bool
	d.do(func() { blind = d.settings.BlindSigning })
	path, hashes, good := ethereumPath(c.data)
	if !blind || !good || len(hashes) != 64 {
		return status(invalid)
	}
	screen := []string{"Domain hash: " + hex.EncodeToString(hashes[:32]), "Message hash: " + hex.EncodeToString(hashes[32:])}
	return d.approve(ctx, screen, path, address.Keccak([]byte("\x19\x01"), hashes), 27)
}

// approve shows a screen and signs a hash. The answer is v plus the recovery number, r and s.
func (d *Device) approve(ctx context.Context, screen []string, path key.Path, hash [32]byte, v byte) answer {
	if !d.show(ctx, screen) {
		return status(notSatisfied)
	}
	signature := d.key(path).Sign(hash)
	b := append([]byte{v + signature.Recovery}, signature.R[:]...)
	return answer{append(b, signature.S[:]...), ok}
}

// describe accepts the description of a token if its signature is valid.
func (d *Device) describe(b []byte) answer {
	const fixed = 20 + 4 + 4
	if len(b) == 0 || len(b) < 1+int(b[0])+fixed {
		return status(invalid)
	}
	n := int(b[0])
	signed, signature := b[1:1+n+fixed], b[1+n+fixed:]
	parsed, err := ecdsa.ParseDERSignature(signature)
	if err != nil {
		return status(invalid)
	}
	issuer := d.issuer.PublicKey()
	public, err := btcec.ParsePubKey(issuer[:])
	hash := hashOf(signed)
	if err != nil || !parsed.Verify(hash[:], public) {
		return status(invalid)
	}
	id := tokenID{binary.BigEndian.Uint32(signed[n+24:]), address.Address(signed[n : n+20])}
	d.do(func() {
		if d.ethereum.tokens == nil {
			d.ethereum.tokens = map[tokenID]token{}
		}
		d.ethereum.tokens[id] = token{string(signed[:n]), binary.BigEndian.Uint32(signed[n+20:])}
	})
	return answer{[]byte{0}, ok}
}

// Describe returns a description of a token that the device accepts. Ledger signs the
// descriptions for real devices.
func (d *Device) Describe(chain uint32, contract address.Address, ticker string, decimals uint32) []byte {
	signed := append([]byte(ticker), contract[:]...)
	signed = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(signed, decimals), chain)
	return append(append([]byte{byte(len(ticker))}, signed...), d.issuer.SignDER(hashOf(signed))...)
}
