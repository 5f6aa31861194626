package wire

import (
	"bytes"
	"encoding/hex"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"testing/quick"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// every returns one message of each type, with its defaults.
func every() []Message {
	return []Message{&Any{}, &Coin{}, &BalanceRequest{}, &BalanceResponse{}, &AllBalancesRequest{}, &AllBalancesResponse{}, &PageRequest{},
		&PageResponse{}, &MsgSend{}, &MsgMultiSend{}, &Share{}, &MsgDelegate{}, &MsgUndelegate{}, &MsgBeginRedelegate{},
		&MsgWithdrawDelegatorReward{}, &AccountRequest{}, &AccountResponse{}, &BaseAccount{}, &PubKey{}, &AccountsRequest{}, &AccountsResponse{}, &Tx{}, &TxBody{}, &AuthInfo{},
		&SignerInfo{}, &ModeInfo{}, &Fee{}, &SignDoc{}, &SimulateRequest{}, &SimulateResponse{}, &GasInfo{}, &MsgTransfer{}, &Height{},
		&ChannelRequest{}, &ChannelResponse{}, &Channel{}, &ChannelClientResponse{}, &IdentifiedClient{}, &ClientState{}, &Duration{},
		&ClientStatusRequest{}, &ClientStatusResponse{}, &DenomTraceRequest{}, &DenomTraceResponse{}, &DenomTrace{}}
}

// again returns a new message of the same type, with its defaults.
func again(m Message) Message { return reflect.New(reflect.TypeOf(m).Elem()).Interface() }

func TestDecodeEncodeIsTheIdentity(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, kind := range every() {
		name := reflect.TypeOf(kind).Elem().Name()
		var last protowire.Number
		for _, p := range parts(reflect.ValueOf(kind).Elem()) {
			require.Greater(t, p.number, last, "%s: fields are in order", name)
			last = p.number
		}
		for range 50 {
			value, ok := quick.Value(reflect.TypeOf(kind).Elem(), random)
			require.True(t, ok, name)
			m := again(kind)
			reflect.ValueOf(m).Elem().Set(value)
			encoded := Encode(m)
			decoded := again(kind)
			require.NoError(t, Decode(encoded, decoded), name)
			require.Equal(t, hex.EncodeToString(encoded), hex.EncodeToString(Encode(decoded)), name)
			require.Equal(t, compact(m), compact(decoded), name)
		}
	}
}

// compact encodes a message so that an empty list equals nil.
func compact(m Message) string {
	var b strings.Builder
	write(&b, reflect.ValueOf(m))
	return b.String()
}

func write(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			write(b, v.Elem())
		}
	case reflect.Struct:
		if a, ok := v.Interface().(ModeInfo); ok && a.Multi != nil { // only one of the two can be set
			v = reflect.ValueOf(ModeInfo{Multi: a.Multi})
		}
		for i := range v.NumField() {
			b.WriteByte('{')
			write(b, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			b.WriteByte('[')
			write(b, v.Index(i))
		}
	case reflect.String:
		b.WriteString(hex.EncodeToString([]byte(v.String())))
	case reflect.Bool:
		if v.Bool() {
			b.WriteByte('t')
		}
	case reflect.Int32, reflect.Int64:
		b.WriteString(string(protowire.AppendVarint(nil, uint64(v.Int()))))
	default:
		b.WriteString(string(protowire.AppendVarint(nil, v.Uint())))
	}
}

func bytesOf(t *testing.T, text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	require.NoError(t, err)
	return b
}

func TestEncoding(t *testing.T) {
	for _, c := range []struct {
		name string
		m    Message
		want string
	}{
		{"nothing", &Coin{}, ""},
		{"coin", &Coin{"u", "12"}, "0a0175 12023132"},
		{"parts that are not nullable", &MsgTransfer{}, "1a00 3200"},
		{"Any that is absent", &BaseAccount{Number: 300}, "18ac02"},
		{"page that is absent", &AllBalancesRequest{}, ""},
		{"page of nothing", &AllBalancesRequest{Page: &PageRequest{}}, "1200"},
		{"signatures that are empty", &Tx{Signatures: [][]byte{nil, {1}}}, "1a00 1a0101"},
		{"numbers of two bytes", &TxBody{Extensions: []Any{{}}, Optional: []Any{{}}}, "fa3f00 fa7f00"},
		{"mode", &ModeInfo{Single: SignAmino}, "0a02087f"},
		{"mode of several", &ModeInfo{Multi: []byte{}}, "1200"},
		{"below zero", &Duration{Seconds: -1, Nanos: -1}, "08ffffffffffffffffff01 10ffffffffffffffffff01"},
		{"yes", &PageRequest{Reverse: true}, "2801"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := bytesOf(t, c.want)
			require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(Encode(c.m)))
			back := again(c.m)
			require.NoError(t, Decode(want, back))
			require.Equal(t, compact(c.m), compact(back))
		})
	}
}

func TestDecoding(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       Message
		err        error
	}{
		{"nothing", "", &Coin{}, nil},
		{"the last one counts", "0a0161 0a0162", &Coin{Denom: "b"}, nil},
		{"parts are put together", "0a06 0a0161 120131 0a03 0a0162", &BalanceResponse{Coin{"b", "1"}}, nil},
		{"optional parts are put together", "1202 1005 1202 2801", &AllBalancesRequest{Page: &PageRequest{Offset: 5, Reverse: true}}, nil},
		{"any order", "120131 0a0161", &Coin{"a", "1"}, nil},
		{"unknown varint, bytes, 32 and 64 bits", "1805 220100 2d01020304 310102030405060708 0a0161", &Coin{Denom: "a"}, nil},
		{"unknown group", "1b 0801 1c 0a0161", &Coin{Denom: "a"}, nil},
		{"text that is no UTF-8", "0a01ff", &Coin{Denom: "\xff"}, nil},
		{"number longer than it needs to be", "1880 8000", &BaseAccount{}, nil},
		{"enum beyond 32 bits", "08ffffffffffffffffff01", &Channel{State: -1}, nil},
		{"mode of one, then of several", "0a020801 120101", &ModeInfo{Multi: []byte{1}}, nil},
		{"mode of several, then of one", "120101 0a020801", &ModeInfo{Single: SignDirect}, nil},

		{"tag without value", "0a", &Coin{}, ErrMalformed},
		{"tag that is cut", "80", &Coin{}, ErrMalformed},
		{"field 0", "0201", &Coin{}, ErrMalformed},
		{"length beyond the end", "0a0561", &Coin{}, ErrMalformed},
		{"length beyond all ends", "0affffffffffffffffff01", &Coin{}, ErrMalformed},
		{"number that does not end", "18ffffffffffffffffffff01", &BaseAccount{}, ErrMalformed},
		{"group that does not end", "1b0801", &Coin{}, ErrMalformed},
		{"end of no group", "1c", &Coin{}, ErrMalformed},
		{"number where text is", "0801", &Coin{}, ErrMalformed},
		{"number where a part is", "0801", &BalanceResponse{}, ErrMalformed},
		{"number where a page is", "1001", &AllBalancesRequest{}, ErrMalformed},
		{"number where a list is", "0801", &AllBalancesResponse{}, ErrMalformed},
		{"number where signatures are", "1801", &Tx{}, ErrMalformed},
		{"number where bytes are", "0801", &Tx{}, ErrMalformed},
		{"text where a number is", "1a0100", &BaseAccount{}, ErrMalformed},
		{"text where yes or no is", "220100", &PageRequest{}, ErrMalformed},
		{"part that is malformed", "0a010a", &BalanceResponse{}, ErrMalformed},
		{"member that is malformed", "0a010a", &AllBalancesResponse{}, ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := again(c.want)
			err := Decode(bytesOf(t, c.data), m)
			require.ErrorIs(t, err, c.err)
			if c.err == nil {
				require.Equal(t, c.want, m)
			}
		})
	}
}

func TestDecodeReplaces(t *testing.T) {
	m := MsgSend{"a", "b", []Coin{{"c", "1"}}}
	require.NoError(t, Decode(bytesOf(t, "12017a"), &m))
	require.Equal(t, MsgSend{To: "z"}, m)
}

func TestDecodeKeepsNoBytes(t *testing.T) {
	data := bytesOf(t, "0a0161 12017a 1a0162")
	var tx Tx
	require.NoError(t, Decode(data, &tx))
	clear(data)
	require.Equal(t, Tx{[]byte("a"), []byte("z"), [][]byte{[]byte("b")}}, tx)
}

func TestLimits(t *testing.T) {
	require.ErrorIs(t, Decode(make([]byte, MaxSize+1), &Coin{}), ErrTooLarge)
	var all AllBalancesResponse
	require.NoError(t, Decode(bytes.Repeat([]byte{0x0a, 0}, maxList), &all))
	require.Len(t, all.Balances, maxList)
	require.ErrorIs(t, Decode(bytes.Repeat([]byte{0x0a, 0}, maxList+1), &all), ErrTooLarge)
	var tx Tx
	require.ErrorIs(t, Decode(bytes.Repeat([]byte{0x1a, 0}, maxList+1), &tx), ErrTooLarge)
	var channel Channel
	require.ErrorIs(t, Decode(bytes.Repeat([]byte{0x22, 0}, maxList+1), &channel), ErrTooLarge)
}

func TestUnits(t *testing.T) {
	maxUint := "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	for amount, want := range map[string]string{"0": "0", "007": "7", maxUint: maxUint} {
		n, err := Coin{"u", amount}.Units()
		require.NoError(t, err)
		require.Equal(t, want, n.String())
	}
	for _, amount := range []string{"", "-1", "+1", "1.0", "1e3", " 1", "0x1", "١", maxUint[:77] + "6", strings.Repeat("0", 79)} {
		_, err := Coin{"u", amount}.Units()
		require.ErrorIs(t, err, ErrAmount, amount)
	}
}

func TestUnpack(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range every() {
		if n, ok := m.(Named); ok {
			packed := Pack(n)
			require.False(t, seen[packed.TypeURL], "one name, one message")
			seen[packed.TypeURL] = true
			back, err := packed.Unpack()
			require.NoError(t, err)
			require.Equal(t, n, back)
			_, err = Any{packed.TypeURL, []byte{0xff}}.Unpack()
			require.ErrorIs(t, err, ErrMalformed)
			require.ErrorContains(t, err, packed.TypeURL)
		}
	}
	require.Len(t, seen, 10)
	for _, name := range []string{"", "cosmos.bank.v1beta1.MsgSend", "/cosmos.bank.v1beta1.MsgSend2", strings.Repeat("x", 1000)} {
		_, err := Any{TypeURL: name}.Unpack()
		require.ErrorIs(t, err, ErrUnknownType)
		require.Less(t, len(err.Error()), 200)
	}
}

// TestBase checks the account types of chains that have fields before the BaseAccount.
func TestBase(t *testing.T) {
	want := BaseAccount{Address: "cosmos1own", PubKey: Pack(&PubKey{[]byte{2}}), Number: 3, Sequence: 1 << 40}
	inField := func(number protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	plain := Encode(&want)
	for name, value := range map[string][]byte{
		"/cosmos.auth.v1beta1.BaseAccount":               plain,
		"/cosmos.auth.v1beta1.ModuleAccount":             append(inField(1, plain), inField(2, []byte("mint"))...),
		"/cosmos.vesting.v1beta1.ClawbackVestingAccount": append(inField(1, inField(1, plain)), 0x10, 5),
		"/evmos.vesting.v1.ClawbackVestingAccount":       inField(1, append(inField(1, plain), inField(2, []byte{0x0a, 0})...)),
		"/seda.vesting.v1.VestingAccount":                inField(1, inField(1, inField(1, plain))),
		"/chain.v1.AccountBehindAnother":                 append(inField(1, Encode(&BaseAccount{Address: "cosmos1owner", Number: 9})), inField(2, plain)...),
	} {
		got, err := (&AccountResponse{Any{name, value}}).Base(want.Address)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
		_, err = (&AccountResponse{Any{name, value}}).Base("cosmos1another")
		require.ErrorIs(t, err, ErrUnknownType, name)
		require.ErrorContains(t, err, name)
		_, err = (&AccountResponse{Any{name, []byte{0x0a}}}).Base(want.Address)
		require.ErrorIs(t, err, ErrMalformed)
	}
	_, err := (&AccountResponse{Any{TypeURL: "/cosmos.auth.v2.Account"}}).Base(want.Address)
	require.ErrorIs(t, err, ErrUnknownType)
	_, err = (&AccountResponse{}).Base(want.Address)
	require.ErrorIs(t, err, ErrUnknownType)
	deep := plain
	for range maxNesting + 1 {
		deep = inField(1, deep)
	}
	_, err = (&AccountResponse{Any{"/chain.v1.Deep", deep}}).Base(want.Address)
	require.ErrorIs(t, err, ErrUnknownType)
}

func TestEthereumKey(t *testing.T) {
	for kind, want := range map[string]bool{
		"/injective.types.v1beta1.EthAccount": true, "/ethermint.types.v1.EthAccount": true, "/cosmos.auth.v1beta1.BaseAccount": false,
		"/evmos.vesting.v1.ClawbackVestingAccount": false,
	} {
		account := &AccountResponse{Any{TypeURL: kind}}
		require.Equal(t, want, account.EthereumKey(BaseAccount{}), kind)
		require.Equal(t, want, account.EthereumKey(BaseAccount{PubKey: Pack(&PubKey{})}), kind)
		for _, key := range []string{"/injective.crypto.v1beta1.ethsecp256k1.PubKey", "/ethermint.crypto.v1.ethsecp256k1.PubKey", "/cosmos.evm.crypto.v1.ethsecp256k1.PubKey"} {
			require.True(t, account.EthereumKey(BaseAccount{PubKey: Any{TypeURL: key}}), kind)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for i := range every() {
		f.Add(uint8(i), []byte{0x0a, 3, 0x0a, 1, 'a', 0x10, 5})
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		m := every()[int(kind)%len(every())]
		if Decode(data, m) != nil {
			return
		}
		encoded, back := Encode(m), again(m)
		require.NoError(t, Decode(encoded, back))
		require.Equal(t, encoded, Encode(back))
		if account, ok := m.(*AccountResponse); ok {
			_, _ = account.Base("a")
		}
		if packed, ok := m.(*Any); ok {
			_, _ = packed.Unpack()
		}
	})
}
