package wallet_test

import (
	"encoding/hex"
	"errors"
	"math"

	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
)

const relayLimit = 208

// newWallet returns a wallet of K1 on a chain with relay rules.
func newWallet(t *testing.T, options string) *wallet.Wallet {
	return wallet.New(wallet.Config{Key: chaintest.Key(t, 1).Private, DataCarrierSize: relayLimit,
		Params: chaintest.Params(t, "ac_name=TOKTEST ac_cc=2 ac_sapling=1 "+options)})
}

// coin returns a P2PK coin of K1. Different n yield different coins.
func coin(t *testing.T, n int, value int64) wallet.Coin {
	return wallet.Coin{Out: outPoint(n), Value: value, Script: chaintest.Key(t, 1).PubKey(), Height: 1}
}

func outPoint(n int) wire.OutPoint {
	return wire.OutPoint{Hash: wire.Hash{byte(n), byte(n >> 8)}, Index: uint32(n)}
}

func coins(t *testing.T, values ...int64) (list []wallet.Coin) {
	for i, value := range values {
		list = append(list, coin(t, i, value))
	}
	return list
}

// repeat returns n coins with the same value.
func repeat(t *testing.T, n int, value int64) (list []wallet.Coin) {
	for i := range n {
		list = append(list, coin(t, i, value))
	}
	return list
}

// inputs returns the numbers n of the coins that a transaction spends.
func inputs(tx *wire.Tx) (n []int) {
	for _, in := range tx.Inputs {
		n = append(n, int(in.PrevOut.Index))
	}
	return n
}

func TestIdentity(t *testing.T) {
	w, k1, k2 := newWallet(t, ""), chaintest.Key(t, 1), chaintest.Key(t, 2)
	require.Equal(t, k1.Token(), w.PublicKey())
	require.Equal(t, "RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opQ", w.Address().String())
	for _, form := range [][]byte{k1.PubKey(), k1.PubKeyHash()} {
		require.True(t, w.Owns(form))
	}
	for _, other := range [][]byte{nil, k1.Tokens(), k2.PubKey(), k2.PubKeyHash()} {
		require.False(t, w.Owns(other))
	}
}

func TestCreationErrors(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	rich := coins(t, 1_000_000)
	for _, c := range []struct {
		name        string
		token       string
		supply      int64
		description string
		data        []byte
		coins       []wallet.Coin
		want        error
	}{
		{"every reason at once", "", 0, long(4097), make([]byte, 10002), nil, wallet.ErrName},
		{"long name", long(33), 0, long(4097), make([]byte, 10002), nil, wallet.ErrName},
		{"no supply", "T", 0, long(4097), make([]byte, 10002), nil, wallet.ErrSupply},
		{"negative supply", "T", -1, long(4097), make([]byte, 10002), nil, wallet.ErrSupply},
		{"long description", "T", 2, long(4097), make([]byte, 10002), nil, wallet.ErrDescription},
		{"much data", "T", 2, long(4096), make([]byte, 10002), nil, wallet.ErrDataSize},
		{"empty data", "T", 2, long(4096), []byte{}, nil, wallet.ErrData},
		{"data and supply", "T", 2, long(4096), make([]byte, 10001), nil, wallet.ErrDataSupply},
		{"more than is relayed", "T", 1, long(4096), make([]byte, 10001), nil, wallet.ErrRelay},
		{"no coins", "T", 1, "", nil, nil, wallet.ErrCoins},
		{"one satoshi short", "T", 1, "", nil, coins(t, 20_000), wallet.ErrCoins},
		{"supply beyond all coins", "T", math.MaxInt64, "", nil, rich, wallet.ErrCoins},
		{"just enough", "T", 1, "", nil, coins(t, 20_001), nil},
		{"longest name", long(32), 1, "", nil, rich, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tx, err := newWallet(t, "").CreateToken(&listSource{next: 2, coins: c.coins}, c.token, c.supply, c.description, c.data)
			require.ErrorIs(t, err, c.want)
			if c.want != nil {
				require.Nil(t, tx)
				require.ErrorAs(t, err, new(wallet.Error))
			}
		})
	}
}

func TestRelayLimit(t *testing.T) {
	const overhead = 42 // bytes of the script in addition to a description of at least 76 bytes, with the name T
	source := &listSource{next: 2, coins: coins(t, 1_000_000)}
	fits, tooLong := strings.Repeat("d", relayLimit-overhead), strings.Repeat("d", relayLimit-overhead+1)

	tx, err := newWallet(t, "").CreateToken(source, "T", 1, fits, nil)
	require.NoError(t, err)
	require.Len(t, tx.Outputs[3].Script, relayLimit)

	_, err = newWallet(t, "").CreateToken(source, "T", 1, tooLong, nil)
	require.ErrorIs(t, err, wallet.ErrRelay)
	require.ErrorContains(t, err, "209 bytes")
	require.ErrorContains(t, err, "datacarriersize is 208")

	_, err = newWallet(t, "regtest=true").CreateToken(source, "T", 1, tooLong, nil)
	require.NoError(t, err)
}

func TestTransferErrors(t *testing.T) {
	id, k2 := wire.Hash{1}, chaintest.Key(t, 2).Token()
	fungible := &token.Creation{}
	for _, c := range []struct {
		name   string
		id     wire.Hash
		dest   token.Key
		amount int64
		source listSource
		want   error
	}{
		{"every reason at once", wire.Hash{}, token.Key{}, 0, listSource{}, wallet.ErrTokenID},
		{"no key", id, token.Key{}, 0, listSource{}, wallet.ErrPubKey},
		{"off the curve", id, token.Key{0: 2, 32: 5}, 0, listSource{}, wallet.ErrPubKey},
		{"nothing", id, k2, 0, listSource{}, wallet.ErrAmount},
		{"negative", id, k2, -1, listSource{}, wallet.ErrAmount},
		{"no coins", id, k2, 10, listSource{}, wallet.ErrFee},
		{"coins below a third of the fee", id, k2, 10, listSource{coins: repeat(t, 50, 3332)}, wallet.ErrFee},
		{"three coins one satoshi short", id, k2, 10, listSource{coins: repeat(t, 50, 3333)}, wallet.ErrFee},
		{"unknown token", id, k2, 10, listSource{coins: coins(t, 10_000)}, wallet.ErrNoTokens},
		{"holds none", id, k2, 10, listSource{coins: coins(t, 10_000), creation: fungible}, wallet.ErrNoTokens},
		{"holds too few", id, k2, 10, tokens(t, 4, 5), wallet.ErrFewTokens},
		{"holds enough", id, k2, 10, tokens(t, 4, 6), nil},
		{"burns", id, token.BurnKey(), 10, tokens(t, 4, 6), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.source.next = 2
			tx, err := newWallet(t, "").TransferToken(&c.source, c.id, c.dest, c.amount)
			require.ErrorIs(t, err, c.want)
			if c.want != nil {
				require.Nil(t, tx)
				require.ErrorAs(t, err, new(wallet.Error))
			}
		})
	}
}

// tokens returns a source with fungible tokens of K1, numbered from 1000, and a coin that pays
// the fee.
func tokens(t *testing.T, values ...int64) listSource {
	pkScript := chaintest.Key(t, 1).Tokens()
	s := listSource{next: 2, coins: coins(t, wallet.Fee), creation: &token.Creation{}}
	var held []wallet.Coin
	for i, value := range values {
		held = append(held, wallet.Coin{Out: outPoint(1000 + i), Value: value, Script: pkScript, Height: 1})
	}
	s.tokens = map[script.Address][]wallet.Coin{script.PubKeyAddress(pkScript): held}
	return s
}

// TestSourceErrors checks that a failure of the source is not reported as an Error.
func TestSourceErrors(t *testing.T) {
	broken := errors.New("disk is gone")
	id, k2 := wire.Hash{1}, chaintest.Key(t, 2).Token()
	w := newWallet(t, "")
	transfer := func(s listSource) error {
		_, err := w.TransferToken(&s, id, k2, 1)
		return err
	}
	enough := tokens(t, 1)
	enough.err = broken
	require.NoError(t, transfer(enough), "no more coins are listed than needed")

	coinless := listSource{next: 2, err: broken}
	_, createErr := w.CreateToken(&coinless, "T", 1, "", nil)
	tokenless := tokens(t)
	tokenless.err = broken
	for name, err := range map[string]error{
		"coins of a creation": createErr,
		"coins of a transfer": transfer(coinless),
		"tokens":              transfer(tokenless),
		"creation":            transfer(listSource{next: 2, coins: coins(t, wallet.Fee), noToken: broken}),
	} {
		require.ErrorIs(t, err, broken, name)
		require.False(t, errors.As(err, new(wallet.Error)), name)
	}
}

func TestParseKey(t *testing.T) {
	k2, burn := chaintest.Key(t, 2).Token(), token.BurnKey()
	for _, key := range []token.Key{k2, burn} {
		got, err := wallet.ParseKey(hex.EncodeToString(key[:]))
		require.NoError(t, err)
		require.Equal(t, key, got)
	}
	text := hex.EncodeToString(k2[:])
	for name, bad := range map[string]string{
		"empty": "", "not hex": "zz" + text[2:], "odd": text[1:], "short": text[2:], "long": text + "00",
		"space": " " + text, "prefix 04": "04" + text[2:], "prefix 00": "00" + text[2:],
		"above the field": "02" + strings.Repeat("f", 64), "off the curve": "02" + strings.Repeat("0", 63) + "5",
		"the burn key with the other sign": "03" + hex.EncodeToString(burn[1:]),
	} {
		_, err := wallet.ParseKey(bad)
		require.ErrorIs(t, err, wallet.ErrPubKey, name)
		require.True(t, strings.HasPrefix(err.Error(), "invalid pubkey "), name)
	}
}

func FuzzParseKey(f *testing.F) {
	for _, text := range []string{"", "02", "021d580113c3261f07156f1b82c339d4e1145a5ff479115e64903ff994a229ab75",
		"02" + strings.Repeat("dead", 16), strings.Repeat("f", 1<<12)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := wallet.ParseKey(text)
		if err != nil {
			require.ErrorIs(t, err, wallet.ErrPubKey)
			require.Less(t, len(err.Error()), 1000)
			return
		}
		require.Equal(t, strings.ToLower(text), hex.EncodeToString(key[:]))
	})
}

// TestNoTokensWithoutConditions checks that tokens cannot be created or transferred without
// crypto-conditions. komodod builds such transactions, but no node relays or spends them.
func TestNoTokensWithoutConditions(t *testing.T) {
	w := wallet.New(wallet.Config{Key: chaintest.Key(t, 1).Private, DataCarrierSize: relayLimit,
		Params: chaintest.Params(t, "ac_name=TOKTEST ac_sapling=1")})
	_, err := w.CreateToken(nil, "T", 1, "", nil)
	require.ErrorIs(t, err, wallet.ErrNoCC)
	_, err = w.TransferToken(nil, wire.Hash{1}, chaintest.Key(t, 2).Token(), 1)
	require.ErrorIs(t, err, wallet.ErrNoCC)
}
