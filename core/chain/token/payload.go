package token

import (
	"errors"

	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// Func is the function code of a payload.
type Func byte

// Function codes of the module.
const (
	Create   Func = 'c'
	Transfer Func = 't'
)

// Ids of the blobs that follow a payload. Ids below contractIDs mark data of another module.
const (
	NFTData    = 0x11
	AssetsData = 0x12
	RogueData  = 0x16
	ImportData = 0x81

	contractIDs = 0x80
)

// maxPayloadVector limits the vectors inside a payload. The script itself is limited to 10001
// bytes.
const maxPayloadVector = 1 << 16

// ErrPayload reports an output script without a payload of the module.
var ErrPayload = errors.New("not a token payload")

// Blob is data for another module, or data of a non-fungible token.
type Blob struct {
	ID   byte
	Data []byte
}

// Payload is the OP_RETURN data of a token transaction.
type Payload struct {
	Func Func

	// Fields of a Create:
	Owner       []byte // public key of the creator; consensus allows any bytes
	Name        string
	Description string

	// Fields of a Transfer:
	TokenID wire.Hash
	Keys    []Key // destinations, without those that are malformed

	Blobs []Blob
}

// payloadBytes returns the first push after OP_RETURN, and reports whether it starts like a
// payload of the module.
func payloadBytes(pkScript []byte) (data []byte, ok bool) {
	it := script.Iterate(pkScript)
	if !it.Next() || it.Op != script.OpReturn || !it.Next() {
		return nil, false
	}
	return it.Data, len(it.Data) > 2 && it.Data[0] == Eval
}

// DecodePayload decodes the payload in an output script. The whole payload must be consumed,
// except for a single byte in place of a blob id, which komodod ignores.
func DecodePayload(pkScript []byte) (*Payload, error) {
	data, ok := payloadBytes(pkScript)
	if !ok {
		return nil, ErrPayload
	}
	var p *Payload
	switch Func(data[1]) {
	case Create:
		p, ok = decodeCreate(data[2:])
	case Transfer:
		if p, ok = decodeOldTransfer(data[2:]); !ok {
			p, ok = decodeTransfer(data[2:])
		}
	default:
		ok = false
	}
	if !ok {
		return nil, ErrPayload
	}
	return p, nil
}

func decodeCreate(data []byte) (*Payload, bool) {
	r := wire.NewReader(data)
	p := &Payload{Func: Create}
	p.Owner = r.VarBytes(maxPayloadVector)
	p.Name = string(r.VarBytes(maxPayloadVector))
	p.Description = string(r.VarBytes(maxPayloadVector))
	p.Blobs = readBlobs(r)
	return p, r.End() == nil
}

func decodeTransfer(data []byte) (*Payload, bool) {
	r := wire.NewReader(data)
	p, ok := readDestinations(r)
	p.Blobs = readBlobs(r)
	return p, ok && r.End() == nil
}

// decodeOldTransfer decodes the format of 2019, in which the data of the rogue and assets
// modules is not preceded by an id.
func decodeOldTransfer(data []byte) (*Payload, bool) {
	r := wire.NewReader(data)
	p, ok := readDestinations(r)
	blob := r.VarBytes(maxPayloadVector)
	if !ok || r.End() != nil || len(blob) < 2 {
		return nil, false
	}
	switch id := blob[0]; {
	case id == 0x11 && isAnyOf(blob[1], "RHQKG"):
		p.Blobs = []Blob{{RogueData, blob}}
	case id == 0xe3 && isAnyOf(blob[1], "sbSBxo"):
		p.Blobs = []Blob{{AssetsData, blob}}
	default:
		return nil, false
	}
	return p, true
}

func isAnyOf(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

// readDestinations reads the token id, which is in display order, and up to two keys.
func readDestinations(r *wire.Reader) (*Payload, bool) {
	p := &Payload{Func: Transfer, TokenID: r.Hash().Reversed()}
	count := r.Byte()
	if count > 2 {
		return p, false
	}
	for range count {
		// komodod uses the first bytes of a longer destination.
		if b := r.VarBytes(maxPayloadVector); serializedSize(b) != 0 && len(b) >= KeySize && len(b) <= maxKeySize {
			p.Keys = append(p.Keys, Key(b[:KeySize]))
		}
	}
	return p, r.Err() == nil
}

func readBlobs(r *wire.Reader) (blobs []Blob) {
	for r.Err() == nil && r.Left() > 0 {
		if id := r.Byte(); r.Left() > 0 {
			blobs = append(blobs, Blob{id, r.VarBytes(maxPayloadVector)})
		}
	}
	return blobs
}

// Script returns the output script of the payload.
func (p *Payload) Script() []byte {
	data := []byte{Eval, byte(p.Func)}
	if p.Func == Create {
		data = wire.AppendVarBytes(data, p.Owner)
		data = wire.AppendVarBytes(data, []byte(p.Name))
		data = wire.AppendVarBytes(data, []byte(p.Description))
	} else {
		id := p.TokenID.Reversed()
		data = append(append(data, id[:]...), byte(len(p.Keys)))
		for i := range p.Keys {
			data = wire.AppendVarBytes(data, p.Keys[i][:])
		}
	}
	for _, blob := range p.Blobs {
		data = wire.AppendVarBytes(append(data, blob.ID), blob.Data)
	}
	return script.NullData(data)
}

// Blob returns the data of the first blob with that id, or nil if no blob has it.
func (p *Payload) Blob(id byte) []byte {
	for _, blob := range p.Blobs {
		if blob.ID == id {
			return blob.Data
		}
	}
	return nil
}

// contractCode returns the code of the module in the payload's first contract blob, or 0.
func (p *Payload) contractCode() byte {
	for _, blob := range p.Blobs {
		if blob.ID < contractIDs {
			if len(blob.Data) > 0 {
				return blob.Data[0]
			}
			return 0
		}
	}
	return 0
}
