package token

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/cc"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

var (
	tokenID   = wire.HashOf([]byte("token"))
	otherID   = wire.HashOf([]byte("another token"))
	fungible  = []byte{Eval}
	gateways  = []byte{0xf1, Eval}             // codes of a token that is bound to the gateways module
	assets    = []byte{0xe3, Eval}             // codes of tokens that are locked in assets
	assetsNFT = []byte{0xf1, Eval, 0xe3}       // codes of a gateways NFT that is locked in assets
	inAssets  = Blob{AssetsData, []byte{0xe3}} // binds a transfer to the assets module
)

// move is a transaction with the data that the rules need.
type move struct {
	tx       *wire.Tx
	spent    []Coin
	creation *Creation // nil if the lookup fails
}

func (m *move) examine() *Transfers {
	return Examine(m.tx, m.tx.ID(), m.spent, func(id wire.Hash) (c Creation, found bool) {
		if m.creation == nil || id != tokenID {
			return c, false
		}
		return *m.creation, true
	})
}

func (m *move) spend(coin Coin, scriptSig []byte) {
	m.tx.Inputs = append(m.tx.Inputs, wire.TxIn{ScriptSig: scriptSig})
	m.spent = append(m.spent, coin)
}

func (m *move) pay(value int64, pkScript []byte) {
	m.tx.Outputs = append(m.tx.Outputs, wire.TxOut{Value: value, Script: pkScript})
}

// last returns the output with the payload.
func (m *move) last() *wire.TxOut { return &m.tx.Outputs[len(m.tx.Outputs)-1] }

func (m *move) setPayload(p *Payload) { m.last().Script = p.Script() }

// tokens returns a coin with backed tokens, and the fulfillment that spends it.
func tokens(t testing.TB, value int64, codes []byte, keys ...Key) (Coin, []byte) {
	coin := Coin{Value: value, Script: Script(codes, keys...), TokenID: tokenID, Claim: Backed}
	return coin, fulfil(t, Condition(codes, keys...), keys[0])
}

// plain returns a coin of the key without tokens.
func plain(value int64, key Key) (Coin, []byte) {
	return Coin{Value: value, Script: script.PayToPubKey(key[:])}, script.PushData([]byte{0x30, 0x01})
}

// marker returns a coin that pays to the module's own key.
func marker(t testing.TB, value int64) (Coin, []byte) {
	return Coin{Value: value, Script: MarkerScript()}, fulfil(t, Condition(fungible, globalKey), globalKey)
}

// A, B and C are the keys of these tests.
var keyA, keyB, keyC = keyOf('a'), keyOf('b'), keyOf('c')

// newMove returns a transaction of A with a coin for the fee and a payload. The function add
// adds the token inputs and the token outputs, which precede the payload.
func newMove(t testing.TB, p *Payload, add func(m *move)) *move {
	t.Helper()
	m := &move{tx: &wire.Tx{Version: 1}, creation: &Creation{}}
	m.spend(plain(50_000, keyA))
	add(m)
	m.pay(20_000, script.PayToPubKey(keyA[:]))
	m.pay(0, p.Script())
	return m
}

func transferTo(keys ...Key) *Payload { return &Payload{Func: Transfer, TokenID: tokenID, Keys: keys} }

// newTransfer returns a transaction that sends 300 of A's 1000 tokens to B.
func newTransfer(t testing.TB) *move {
	return newMove(t, transferTo(keyB), func(m *move) {
		m.spend(tokens(t, 1000, fungible, keyA))
		m.pay(300, Script(fungible, keyB))
		m.pay(700, Script(fungible, keyA))
	})
}

// newNFT returns a transaction that sends a single token, bound to the gateways module, from A
// to B.
func newNFT(t testing.TB) *move {
	m := newMove(t, transferTo(keyB), func(m *move) {
		m.spend(tokens(t, 1, gateways, keyA))
		m.pay(1, Script(gateways, keyB))
	})
	m.creation = &Creation{NFT: 0xf1, IsNFT: true}
	return m
}

const (
	n = None
	c = Claimed
	b = Backed
)

func TestTransfer(t *testing.T) {
	for _, c := range []struct {
		name   string
		edit   func(m *move) // changes the valid transfer of newTransfer
		err    error         // expected result of Validate
		claims []Claim       // nil if there is no payload
	}{
		{"valid", func(m *move) {}, nil, []Claim{b, b, n, n}},
		{"all to the destination", func(m *move) { m.tx.Outputs[1].Script = m.tx.Outputs[0].Script }, nil, []Claim{b, b, n, n}},
		{"all back", func(m *move) { m.tx.Outputs[0].Script = m.tx.Outputs[1].Script }, nil, []Claim{b, b, n, n}},
		{"no owner named, all back", func(m *move) {
			m.tx.Outputs[0].Script = m.tx.Outputs[1].Script
			m.setPayload(transferTo())
		}, nil, []Claim{b, b, n, n}},
		{"no tokens in one output", func(m *move) { m.tx.Outputs[0].Value, m.tx.Outputs[1].Value = 0, 1000 }, nil, []Claim{b, b, n, n}},
		{"tokens of another id in addition", func(m *move) { m.spent[0].TokenID, m.spent[0].Claim = otherID, Backed }, nil, []Claim{b, b, n, n}},
		{"burned", func(m *move) {
			m.tx.Outputs[0].Script = Script(fungible, burnKey)
			m.setPayload(transferTo(burnKey))
		}, nil, []Claim{b, b, n, n}},
		{"second of two named", func(m *move) { m.setPayload(transferTo(keyC, keyB)) }, nil, []Claim{b, b, n, n}},
		{"to one of two", func(m *move) {
			m.tx.Outputs[0].Script = Script(fungible, keyB, keyC)
			m.setPayload(transferTo(keyB, keyC))
		}, nil, []Claim{b, b, n, n}},
		{"global key among the named", func(m *move) { m.setPayload(transferTo(globalKey, keyB)) }, nil, []Claim{b, b, n, n}},

		{"one token too many", func(m *move) { m.tx.Outputs[0].Value++ }, ErrUnbalanced, []Claim{c, c, n, n}},
		{"one token too few", func(m *move) { m.tx.Outputs[1].Value-- }, ErrUnbalanced, []Claim{c, c, n, n}},
		{"no payload", func(m *move) { m.tx.Outputs = m.tx.Outputs[:3] }, ErrBadPayload, nil},
		{"no outputs", func(m *move) { m.tx.Outputs = nil }, ErrBadPayload, nil},
		{"payload is not last", func(m *move) { m.tx.Outputs[2], m.tx.Outputs[3] = m.tx.Outputs[3], m.tx.Outputs[2] }, ErrBadPayload, nil},
		{"token not to be found", func(m *move) { m.creation = nil }, ErrNoCreation, []Claim{b, b, n, n}},
		{"id of another token", func(m *move) {
			m.spent[1].TokenID = otherID
		}, ErrUnbalanced, []Claim{c, c, n, n}},
		{"coin without tokens", func(m *move) { m.spent[1].Claim = None }, ErrUnbalanced, []Claim{c, c, n, n}},
		// komodod examines one level of ancestors: the claim of a forged coin is accepted for
		// the coins after it, but the forged coin itself cannot be spent.
		{"coin that only claims tokens", func(m *move) { m.spent[1].Claim = Claimed }, ErrUnbalanced, []Claim{b, b, n, n}},
		{"destination is not named", func(m *move) { m.setPayload(transferTo(keyC)) }, ErrUnbalanced, []Claim{n, c, n, n}},
		{"no owner is named", func(m *move) { m.setPayload(transferTo()) }, ErrUnbalanced, []Claim{n, c, n, n}},
		{"to a plain output", func(m *move) { m.tx.Outputs[0].Script = script.PayToPubKey(keyB[:]) }, ErrUnbalanced, []Claim{n, c, n, n}},
		{"to one of two, one named", func(m *move) { m.tx.Outputs[0].Script = Script(fungible, keyB, keyC) }, ErrUnbalanced, []Claim{n, c, n, n}},
		{"to one of two in the other order", func(m *move) {
			m.tx.Outputs[0].Script = Script(fungible, keyC, keyB)
			m.setPayload(transferTo(keyB, keyC))
		}, nil, []Claim{b, b, n, n}},
		{"to the marker", func(m *move) {
			m.tx.Outputs[0].Script = MarkerScript()
			m.setPayload(transferTo(globalKey))
		}, ErrUnbalanced, []Claim{n, c, n, n}},
		{"data after the condition", func(m *move) {
			m.tx.Outputs[0].Script = append(m.tx.Outputs[0].Script, 1, 9, script.OpDrop)
		}, ErrUnbalanced, []Claim{n, c, n, n}},
		{"into a module that no blob names", func(m *move) { m.tx.Outputs[0].Script = Script(assets, keyB) }, ErrUnbalanced, []Claim{n, c, n, n}},
		{"input of another module", func(m *move) {
			m.tx.Inputs[1].ScriptSig = fulfil(t, Condition([]byte{0xe3}, keyA), keyA)
		}, ErrUnbalanced, []Claim{c, n, n, n}},
		{"input without a fulfillment", func(m *move) { m.tx.Inputs[1].ScriptSig = nil }, ErrUnbalanced, []Claim{c, n, n, n}},
		{"nothing in or out", func(m *move) {
			m.spent[1].Claim = None
			m.tx.Outputs = m.tx.Outputs[2:]
		}, ErrNoTokensSpent, []Claim{n, n}},
		{"create payload", func(m *move) {
			m.setPayload(&Payload{Func: Create, Owner: keyB[:]})
		}, ErrNoCreation, []Claim{n, n, n, n}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTransfer(t)
			c.edit(m)
			moves := m.examine()
			require.ErrorIs(t, moves.Validate(), c.err)
			require.Equal(t, c.claims, moves.Claims)
		})
	}
}

// TestTransferIntoModules checks transfers whose payload names a module in a blob and that pay
// to conditions with its code.
func TestTransferIntoModules(t *testing.T) {
	nft := &Creation{NFT: 0xf1, IsNFT: true}
	for _, test := range []struct {
		name     string
		creation *Creation
		blobs    []Blob
		held     []byte // codes of the spent tokens of A
		out      []byte // codes of the output
		to       []Key
		want     Claim
	}{
		{"fungible, locked", &Creation{}, []Blob{inAssets}, fungible, assets, []Key{keyB}, b},
		{"fungible, locked by two", &Creation{}, []Blob{inAssets}, fungible, assets, []Key{keyB, keyC}, b},
		{"fungible, freed", &Creation{}, []Blob{inAssets}, assets, fungible, []Key{keyB}, b},
		{"fungible, change", &Creation{}, []Blob{inAssets}, fungible, fungible, []Key{keyA}, b},
		{"fungible, locked change", &Creation{}, []Blob{inAssets}, fungible, assets, []Key{keyA}, b},
		{"fungible, another module", &Creation{}, []Blob{inAssets}, fungible, gateways, []Key{keyB}, n},
		{"fungible, module of the second blob", &Creation{}, []Blob{{RogueData, []byte{0x11}}, inAssets}, fungible, assets, []Key{keyB}, n},
		{"fungible, blob of tokens itself", &Creation{}, []Blob{{1, []byte{Eval}}}, fungible, fungible, []Key{keyB}, b},
		{"fungible, freed to one of two", &Creation{}, []Blob{inAssets}, assets, fungible, []Key{keyB, keyC}, n},

		{"non-fungible", nft, nil, gateways, gateways, []Key{keyB}, b},
		{"non-fungible, one of two", nft, nil, gateways, gateways, []Key{keyB, keyC}, b},
		{"non-fungible, back", nft, nil, gateways, gateways, []Key{keyA}, b},
		{"non-fungible made fungible", nft, nil, gateways, fungible, []Key{keyB}, n},
		{"non-fungible made fungible, back", nft, nil, gateways, fungible, []Key{keyA}, n},
		{"non-fungible, locked", nft, []Blob{inAssets}, gateways, assetsNFT, []Key{keyB}, b},
		{"non-fungible, locked by two", nft, []Blob{inAssets}, gateways, assetsNFT, []Key{keyB, keyC}, b},
		{"non-fungible, freed", nft, []Blob{inAssets}, assetsNFT, gateways, []Key{keyB}, b},
		{"non-fungible, its code gone", nft, []Blob{inAssets}, assetsNFT, assets, []Key{keyB}, b},
		{"non-fungible, locked change", nft, []Blob{inAssets}, gateways, assetsNFT, []Key{keyA}, b},
		{"non-fungible, freed change", nft, []Blob{inAssets}, assetsNFT, gateways, []Key{keyA}, n},
		{"non-fungible, freed to one of two", nft, []Blob{inAssets}, assetsNFT, gateways, []Key{keyB, keyC}, n},

		// With the code of the tokens module in the blob, f2 appears twice in one order of the
		// codes and once in the other.
		{"non-fungible, f2 twice", nft, []Blob{{1, fungible}}, gateways, []byte{0xf1, Eval, Eval}, []Key{keyB}, b},
		{"non-fungible, f2 once, change", nft, []Blob{{1, fungible}}, gateways, gateways, []Key{keyA}, b},
		{"non-fungible, f2 once, two", nft, []Blob{{1, fungible}}, gateways, gateways, []Key{keyB, keyC}, b},

		// Data that starts with 00 binds the token to no module, but does not make it fungible.
		{"data from 00", &Creation{IsNFT: true}, nil, fungible, []byte{0, Eval}, []Key{keyB}, b},
		{"data from 00, single", &Creation{IsNFT: true}, nil, fungible, fungible, []Key{keyB}, b},
		{"data from 00, locked", &Creation{IsNFT: true}, []Blob{inAssets}, fungible, assets, []Key{keyB}, b},
		{"data from 00, locked change", &Creation{IsNFT: true}, []Blob{inAssets}, fungible, assets, []Key{keyA}, b},
		{"data from 00, bound and locked", &Creation{IsNFT: true}, []Blob{inAssets}, fungible, []byte{0, Eval, 0xe3}, []Key{keyB}, b},

		{"data from f2", &Creation{NFT: Eval, IsNFT: true}, nil, fungible, fungible, []Key{keyB}, b},
		{"data from f2, held twice", &Creation{NFT: Eval, IsNFT: true}, nil, fungible, []byte{Eval, Eval}, []Key{keyB}, n},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := transferTo(test.to...)
			if test.to[0] == keyA {
				p.Keys = []Key{keyC} // A only receives change
			}
			p.Blobs = test.blobs
			m := newMove(t, p, func(m *move) {
				m.spend(tokens(t, 9, test.held, keyA))
				m.pay(9, Script(test.out, test.to...))
			})
			m.creation = test.creation
			moves := m.examine()
			require.Equal(t, []Claim{test.want, n, n}, moves.Claims)
			if test.want == b {
				require.NoError(t, moves.Validate())
			} else {
				require.ErrorIs(t, moves.Validate(), ErrUnbalanced)
			}
		})
	}
}

// TestChangeGoesToTheFirstSigner checks that only the first key of an input is used, and that
// signatures are not verified, as in komodod.
func TestChangeGoesToTheFirstSigner(t *testing.T) {
	both := cc.NewThreshold(3, cc.NewEval(Eval), cc.NewSecp256k1(keyA[:]), cc.NewSecp256k1(keyB[:]))
	first, second := keyA, keyB
	if string(keyB[:]) < string(keyA[:]) { // the fulfillment sorts the keys by their bytes
		first, second = second, first
	}
	for _, test := range []struct {
		name      string
		to        Key
		scriptSig []byte
		want      Claim
	}{
		{"first", first, fulfil(t, both, keyA, keyB), b},
		{"second", second, fulfil(t, both, keyA, keyB), n},
		{"signer of one of two", keyB, fulfil(t, Condition(fungible, keyA, keyB), keyB), b},
		{"other one of two", keyA, fulfil(t, Condition(fungible, keyA, keyB), keyB), n},
		{"a second push", keyA, script.AppendPush(fulfil(t, Condition(fungible, keyA), keyA), []byte{1}), b},
		{"not the first push", keyA, append([]byte{script.Op1}, fulfil(t, Condition(fungible, keyA), keyA)...), n},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMove(t, transferTo(keyC), func(m *move) {
				coin, _ := tokens(t, 5, fungible, keyA)
				m.spend(coin, test.scriptSig)
				m.pay(5, Script(fungible, test.to))
			})
			require.Equal(t, test.want, m.examine().Claims[0])
		})
	}

	t.Run("a plain coin's input may show a fulfillment", func(t *testing.T) {
		m := newTransfer(t)
		m.tx.Inputs[0].ScriptSig = fulfil(t, Condition(fungible, keyC), keyC)
		m.tx.Outputs[1].Script = Script(fungible, keyC)
		require.NoError(t, m.examine().Validate())
	})
}

func TestMarkerSpent(t *testing.T) {
	burn := func(codes []byte) func(*move) {
		return func(m *move) {
			m.tx.Outputs[0].Script = Script(codes, burnKey)
			m.setPayload(transferTo(burnKey))
		}
	}
	for _, test := range []struct {
		name string
		move *move
		edit func(m *move)
		want error
	}{
		{"with a transfer", newTransfer(t), func(*move) {}, nil},
		{"with a burn", newTransfer(t), burn(fungible), ErrMarkerSpent},
		{"with a burn of none", newTransfer(t), func(m *move) {
			burn(fungible)(m)
			m.tx.Outputs[0].Value, m.tx.Outputs[1].Value = 0, 1000
		}, nil},
		{"with a burn in a module", newTransfer(t), func(m *move) {
			p := transferTo(burnKey)
			p.Blobs = []Blob{inAssets}
			m.tx.Outputs[0].Script = Script(assets, burnKey)
			m.setPayload(p)
		}, ErrMarkerSpent},
		{"with a burn that does not balance", newTransfer(t), func(m *move) {
			burn(fungible)(m)
			m.tx.Outputs[1].Value++
		}, ErrUnbalanced},
		{"with a non-fungible transfer", newNFT(t), func(*move) {}, nil},
		{"with a non-fungible burn", newNFT(t), burn(gateways), nil},
		{"of a token with data from 00, burned", newTransfer(t), func(m *move) {
			burn(fungible)(m)
			m.creation.IsNFT = true
		}, nil},
		{"alone", newMove(t, transferTo(), func(*move) {}), func(*move) {}, ErrNoTokensSpent},
		{"alone, kept", newMove(t, transferTo(), func(m *move) { m.pay(10_000, MarkerScript()) }), func(*move) {}, ErrNoTokensSpent},
		{"without a payload", newTransfer(t), func(m *move) { m.last().Script = nil }, ErrBadPayload},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.edit(test.move)
			test.move.spend(marker(t, 10_000))
			require.ErrorIs(t, test.move.examine().Validate(), test.want)
		})
	}
	t.Run("not spent, burned", func(t *testing.T) {
		m := newTransfer(t)
		burn(fungible)(m)
		require.NoError(t, m.examine().Validate())
	})
}

// newCreate returns a transaction that creates 1000 tokens of A.
func newCreate(t testing.TB) *move {
	return newMove(t, &Payload{Func: Create, Owner: keyA[:], Name: "T"}, func(m *move) {
		m.pay(10_000, MarkerScript())
		m.pay(1000, Script(fungible, keyA))
	})
}

func TestCreate(t *testing.T) {
	uncompressed := owner('a').SerializeUncompressed()
	setOwner := func(b []byte) func(*move) {
		return func(m *move) { m.setPayload(&Payload{Func: Create, Owner: b}) }
	}
	for _, test := range []struct {
		name   string
		edit   func(m *move)
		claims []Claim
		supply int64
	}{
		{"valid", func(*move) {}, []Claim{n, b, n, n}, 1000},
		{"covered exactly", func(m *move) { m.spent[0].Value = 1000 }, []Claim{n, b, n, n}, 1000},
		{"from a key hash", func(m *move) {
			m.spent[0].Script = script.PayToPubKeyHash(script.Hash160(keyA[:]))
		}, []Claim{n, b, n, n}, 1000},
		{"from several coins", func(m *move) {
			m.spent[0].Value = 600
			m.spend(plain(400, keyA))
		}, []Claim{n, b, n, n}, 1000},
		{"bound, to anyone", func(m *move) { m.tx.Outputs[1].Script = Script([]byte{0xe3}, keyC) }, []Claim{n, b, n, n}, 1000},
		{"with data after the condition", func(m *move) {
			m.tx.Outputs[1].Script = append(m.tx.Outputs[1].Script, 1, 9, script.OpDrop)
		}, []Claim{n, b, n, n}, 1000},
		{"two outputs", func(m *move) { m.tx.Outputs[2].Script = Script(assets, keyB) }, []Claim{n, b, b, n}, 21_000},
		{"marker of any value, anywhere", func(m *move) {
			m.tx.Outputs[2] = wire.TxOut{Value: 1 << 40, Script: MarkerScript()}
		}, []Claim{n, b, n, n}, 1000},
		{"no token output", func(m *move) { m.tx.Outputs[1].Script = nil }, []Claim{n, n, n, n}, 0},
		{"import", func(m *move) {
			m.tx.Inputs[0].PrevOut.Index = wire.CoinImportIdx
			m.spent[0].Value = 0
		}, []Claim{n, b, n, n}, 1000},
		{"owner with bytes after the key", setOwner(append(keyA[:KeySize:KeySize], 1, 2)), []Claim{n, b, n, n}, 1000},
		{"owner uncompressed", func(m *move) {
			setOwner(uncompressed)(m)
			m.spent[0].Script = script.PayToPubKey(uncompressed)
		}, []Claim{n, b, n, n}, 1000},

		{"not covered", func(m *move) { m.spent[0].Value = 999 }, []Claim{n, n, n, n}, 0},
		{"second output not covered", func(m *move) {
			m.spent[0].Value = 1999
			m.tx.Outputs[2] = wire.TxOut{Value: 1000, Script: Script(assets, keyB)}
		}, []Claim{n, n, n, n}, 0},
		{"coins of another", func(m *move) { m.spent[0].Script = script.PayToPubKey(keyB[:]) }, []Claim{n, n, n, n}, 0},
		{"owner is another", setOwner(keyB[:]), []Claim{n, n, n, n}, 0},
		{"owner is empty", setOwner(nil), []Claim{n, n, n, n}, 0},
		{"owner is cut short", setOwner(keyA[:32]), []Claim{n, n, n, n}, 0},
		{"owner is not a key", setOwner([]byte{5}), []Claim{n, n, n, n}, 0},
		{"owner uncompressed, coins of the compressed", setOwner(uncompressed), []Claim{n, n, n, n}, 0},
		{"from a script hash", func(m *move) {
			m.spent[0].Script = script.PayToScriptHash(script.Hash160(script.PayToPubKey(keyA[:])))
		}, []Claim{n, n, n, n}, 0},
		{"from a lock time", func(m *move) {
			locked := append(script.AppendNumber(nil, 1000), script.OpCheckLockTimeVerify, script.OpDrop)
			m.spent[0].Script = append(locked, m.spent[0].Script...)
		}, []Claim{n, n, n, n}, 0},
		{"from a condition", func(m *move) {
			m.spent[0], m.tx.Inputs[0].ScriptSig = tokens(t, 50_000, fungible, keyA)
		}, []Claim{n, n, n, n}, 0},
		{"with a fulfillment before the signature", func(m *move) {
			_, m.tx.Inputs[0].ScriptSig = tokens(t, 1, fungible, keyA)
		}, []Claim{n, n, n, n}, 0},
		{"in a coinbase", func(m *move) { m.spent = nil }, []Claim{n, n, n, n}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newCreate(t)
			test.edit(m)
			moves := m.examine()
			require.Equal(t, test.claims, moves.Claims)
			require.Equal(t, test.supply, moves.Supply())
			require.Equal(t, m.tx.ID(), moves.TokenID)
			require.ErrorIs(t, moves.Validate(), ErrNoCreation, "a creation may spend no tokens")
		})
	}
}

// TestTransferOfTransferred transfers the tokens of a creation, and then the outputs of the
// transfer.
func TestTransferOfTransferred(t *testing.T) {
	create := newCreate(t)
	made := create.examine()
	coin := Coin{Value: 1000, Script: create.tx.Outputs[1].Script, TokenID: made.TokenID, Claim: made.Claims[1]}
	lookup := func(id wire.Hash) (Creation, bool) { return made.Payload.Creation(), id == made.TokenID }
	from, to := keyA, keyB
	for range 3 {
		p := &Payload{Func: Transfer, TokenID: made.TokenID, Keys: []Key{to}}
		m := newMove(t, p, func(m *move) {
			m.spend(coin, fulfil(t, Condition(fungible, from), from))
			m.pay(1000, Script(fungible, to))
		})
		moves := Examine(m.tx, m.tx.ID(), m.spent, lookup)
		require.NoError(t, moves.Validate())
		require.Equal(t, Backed, moves.Claims[0])
		coin.Script, coin.Claim = m.tx.Outputs[0].Script, moves.Claims[0]
		from, to = to, from
	}
}

func BenchmarkExamineTransfer(b *testing.B) {
	m := newTransfer(b)
	id := m.tx.ID()
	lookup := func(wire.Hash) (Creation, bool) { return Creation{}, true }
	b.ReportAllocs()
	for b.Loop() {
		if Examine(m.tx, id, m.spent, lookup).Validate() != nil {
			b.Fatal("refused")
		}
	}
}
