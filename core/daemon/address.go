package daemon

import (
	"context"
	"crypto/sha256"
	"math"
	"sort"

	"obverse/core/chain"
	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

const categoryAddress = "Addressindex"

func (b *Backend) addressMethods() []rpc.Method {
	const detail = "The first parameter is an address, or an object with a list of addresses. With a second parameter of any value, " +
		"the result covers the crypto-condition outputs of the addresses instead of the plain ones."
	return []rpc.Method{
		rpc.Handle("getaddressbalance", rpc.Doc{Reads: true,
			Usage:    `getaddressbalance "address"|{"addresses":["address",...]} ( ccvout )`,
			Summary:  "Return the balance of addresses and the total that they have received, in satoshis",
			Detail:   detail,
			Category: categoryAddress,
		}, b.getAddressBalance),
		rpc.Handle("getaddressutxos", rpc.Doc{Reads: true,
			Usage:    `getaddressutxos "address"|{"addresses":["address",...],"chainInfo":false} ( ccvout )`,
			Summary:  "List the unspent outputs of addresses, oldest first",
			Detail:   detail,
			Category: categoryAddress,
		}, b.getAddressUTXOs).Gives([]addressUTXO{}, utxosWithTip{}),
		rpc.Handle("getaddresstxids", rpc.Doc{Reads: true,
			Usage:    `getaddresstxids "address"|{"addresses":["address",...],"start":n,"end":n} ( ccvout )`,
			Summary:  "List the transactions of addresses, oldest first",
			Detail:   detail,
			Category: categoryAddress,
		}, b.getAddressTxIDs),
		rpc.Handle("getaddressdeltas", rpc.Doc{Reads: true,
			Usage:    `getaddressdeltas {"addresses":["address",...],"start":n,"end":n,"chainInfo":false} ( ccvout )`,
			Summary:  "List the balance changes of addresses, oldest first",
			Detail:   "With a second parameter of any value, the result covers the crypto-condition outputs of the addresses instead of the plain ones.",
			Category: categoryAddress,
		}, b.getAddressDeltas).Gives([]addressDelta{}, deltasWithRange{}),
	}
}

type addressParams struct {
	Query     addressQuery `json:"addresses"`
	Condition given        `json:"ccvout" rpc:"optional" doc:"if present, with any value: return crypto-condition outputs instead of plain ones"`
}

type deltaParams struct {
	Query     addressObject `json:"addresses"`
	Condition given         `json:"ccvout" rpc:"optional" doc:"if present, with any value: return crypto-condition outputs instead of plain ones"`
}

type addressBalance struct {
	Balance  int64 `json:"balance" doc:"satoshis"`
	Received int64 `json:"received" doc:"satoshis, including change; at most 9223372036854775807"`
}

func (b *Backend) getAddressBalance(ctx context.Context, p addressParams) (sum addressBalance, err error) {
	keys, err := p.Query.keys(p.Condition)
	if err != nil {
		return sum, err
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		for _, a := range keys {
			balance, received, err := v.Balance(a)
			if err != nil {
				return err
			}
			sum.Balance += balance
			sum.Received += min(received, math.MaxInt64-sum.Received)
		}
		return nil
	})
	return sum, err
}

type addressUTXO struct {
	Address  script.Address `json:"address"`
	TxID     wire.Hash      `json:"txid"`
	Index    uint32         `json:"outputIndex"`
	Script   hexBytes       `json:"script"`
	Satoshis int64          `json:"satoshis"`
	Height   int            `json:"height"`
}

type utxosWithTip struct {
	UTXOs  []addressUTXO `json:"utxos"`
	Hash   wire.Hash     `json:"hash" doc:"hash of the last block"`
	Height int           `json:"height"`
}

func (b *Backend) getAddressUTXOs(ctx context.Context, p addressParams) (result any, err error) {
	keys, err := p.Query.keys(p.Condition)
	if err != nil {
		return nil, err
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		utxos := []addressUTXO{}
		for _, a := range keys {
			found, err := unspentOf(v, a)
			if err != nil {
				return err
			}
			utxos = append(utxos, found...)
		}
		sort.SliceStable(utxos, func(x, y int) bool { return utxos[x].Height < utxos[y].Height })
		result = utxos
		if p.Query.chainInfo {
			result = utxosWithTip{utxos, v.Tip().Hash, v.Tip().Height}
		}
		return nil
	})
	return result, err
}

func unspentOf(v *chain.View, a chain.Address) ([]addressUTXO, error) {
	var found []addressUTXO
	var outs []wire.OutPoint
	for u := range v.Unspent(a) {
		outs = append(outs, u.Out)
		found = append(found, addressUTXO{a.Text(), u.Out.Hash, u.Out.Index, nil, u.Value, u.Height})
	}
	coins, _, err := v.Coins(outs...)
	if err != nil {
		return nil, err
	}
	for i := range coins {
		found[i].Script = coins[i].Script
	}
	return found, nil
}

// getAddressTxIDs returns the ids for a single address in the order of the index, and those for
// several addresses by height and txid, as in komodod.
func (b *Backend) getAddressTxIDs(ctx context.Context, p addressParams) ([]wire.Hash, error) {
	keys, err := p.Query.keys(p.Condition)
	if err != nil {
		return nil, err
	}
	within, err := p.Query.heights()
	if err != nil {
		return nil, err
	}
	heights, ids := map[wire.Hash]int{}, []wire.Hash{}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		for _, a := range keys {
			for e := range within.events(v, a) {
				if _, known := heights[e.TxID]; !known {
					heights[e.TxID] = e.Height
					ids = append(ids, e.TxID)
				}
			}
		}
		return v.Err()
	})
	if len(keys) > 1 {
		sort.Slice(ids, func(x, y int) bool {
			a, b := heights[ids[x]], heights[ids[y]]
			return a < b || a == b && ids[x].String() < ids[y].String()
		})
	}
	return ids, err
}

type addressDelta struct {
	Satoshis int64          `json:"satoshis" doc:"negative if the output is spent"`
	TxID     wire.Hash      `json:"txid"`
	Index    int            `json:"index" doc:"index of the output, or of the input that spends it"`
	Position int            `json:"blockindex" doc:"index of the transaction in its block"`
	Height   int            `json:"height"`
	Address  script.Address `json:"address"`
}

type deltasWithRange struct {
	Deltas []addressDelta `json:"deltas"`
	Start  rangeEnd       `json:"start"`
	End    rangeEnd       `json:"end"`
}

type rangeEnd struct {
	Hash   wire.Hash `json:"hash"`
	Height int       `json:"height"`
}

func (b *Backend) getAddressDeltas(ctx context.Context, p deltaParams) (result any, err error) {
	within, err := p.Query.checkedHeights()
	if err != nil {
		return nil, err
	}
	keys, err := p.Query.keys(p.Condition)
	if err != nil {
		return nil, err
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		deltas := []addressDelta{}
		for _, a := range keys {
			for e := range within.events(v, a) {
				deltas = append(deltas, addressDelta{e.Value, e.TxID, e.Index, e.Position, e.Height, a.Text()})
			}
		}
		result = deltas
		if v.Err() == nil && p.Query.chainInfo && within.isLimited() {
			return within.frame(v, deltas, &result)
		}
		return v.Err()
	})
	return result, err
}

// frame adds the first and the last block of the requested range to a list of deltas.
func (r heightRange) frame(v *chain.View, deltas []addressDelta, result *any) error {
	first, err := v.HashAt(r.start)
	if err != nil {
		return errOutsideChain
	}
	last, err := v.HashAt(r.end)
	if err != nil {
		return errOutsideChain
	}
	*result = deltasWithRange{deltas, rangeEnd{first, r.start}, rangeEnd{last, r.end}}
	return nil
}

type validateParams struct {
	Address Text `json:"komodoaddress" doc:"the address to validate"`
}

// addressValidity is the result of validateaddress. For a text that is not an address of this
// family of chains, it only contains isvalid. Key and script are included if the wallet knows them.
type addressValidity struct {
	IsValid      bool             `json:"isvalid"`
	Address      *script.Address  `json:"address,omitempty"`
	ScriptPubKey hexBytes         `json:"scriptPubKey,omitempty"`
	SegID        *int             `json:"segid,omitempty" doc:"staking segment, 0 to 63"`
	IsMine       *bool            `json:"ismine,omitempty" doc:"whether the wallet can spend the coins of the address"`
	IsWatchOnly  *bool            `json:"iswatchonly,omitempty" doc:"whether the wallet only watches the address"`
	IsScript     *bool            `json:"isscript,omitempty"`
	PubKey       hexBytes         `json:"pubkey,omitempty"`
	IsCompressed *bool            `json:"iscompressed,omitempty"`
	Script       string           `json:"script,omitempty" doc:"type of the redeem script"`
	Redeem       hexBytes         `json:"hex,omitempty" doc:"the redeem script"`
	Addresses    []script.Address `json:"addresses,omitempty" doc:"addresses in the redeem script"`
	SigsRequired *int             `json:"sigsrequired,omitempty"`
	Account      *string          `json:"account,omitempty" doc:"account of the address"`
	Path         string           `json:"hdkeypath,omitempty" doc:"derivation path of the key from the node's key; not in komodod"`
}

func (b *Backend) validateAddress(_ context.Context, p validateParams) (addressValidity, error) {
	a, err := script.ParseAddress(string(p.Address))
	if err != nil {
		return addressValidity{}, nil
	}
	isScript := a.Version == script.ScriptHashVersion
	result := addressValidity{
		IsValid: true, Address: &a, ScriptPubKey: a.PkScript(), SegID: new(segment(a)),
		IsMine: new(false), IsWatchOnly: new(false), IsScript: &isScript,
	}
	if b.Ring == nil {
		return result, nil
	}
	relation := b.Ring.Relation(a.PkScript())
	*result.IsMine, *result.IsWatchOnly = relation == keyring.Mine, relation == keyring.WatchOnly
	if k, has := b.Ring.Key(a.Hash); has && !isScript {
		result.PubKey, result.IsCompressed = k.Public, new(k.Compressed())
		if k.Source == keyring.Derived {
			result.Path = k.Path()
		}
	}
	if redeem, has := b.Ring.Redeem(a.Hash); has && isScript {
		class := script.Classify(redeem)
		result.Script, result.Redeem, result.Addresses = class.Type.String(), redeem, class.Addresses
		if class.Type == script.TypeMultiSig {
			result.SigsRequired = &class.ReqSigs
		}
	}
	if entry, named := b.Ring.Entry(a); named {
		result.Account = &entry.Account
	}
	return result, nil
}

// segment returns the staking segment of an address (komodod komodo_segid32).
func segment(a script.Address) int {
	sum := sha256.Sum256([]byte(a.String()))
	return int(sum[0] & 63)
}

type tokenAddressParams struct {
	PubKey *Text `json:"pubkey" doc:"public key for which the result includes the tokens address"`
}

// tokenAddresses holds addresses with the coins they own in the chain. At a condition address,
// these include tokens of any kind and markers.
type tokenAddresses struct {
	Result              string          `json:"result" doc:"success"`
	TokensCCAddress     script.Address  `json:"TokensCCAddress" doc:"global address of the tokens module, which holds the markers"`
	TokensCCBalance     number.Coins    `json:"TokensCCBalance"`
	TokensNormalAddress script.Address  `json:"TokensNormalAddress"`
	TokensNormalBalance number.Coins    `json:"TokensNormalBalance"`
	PubKeyCCAddress     *script.Address `json:"PubkeyCCaddress(Tokens),omitempty" doc:"tokens address of the requested public key"`
	PubKeyCCBalance     *number.Coins   `json:"PubkeyCCbalance(Tokens),omitempty"`
	MyCCAddress         script.Address  `json:"myCCAddress(Tokens)" doc:"tokens address of the node's key"`
	MyCCBalance         number.Coins    `json:"myCCbalance(Tokens)"`
	MyAddress           script.Address  `json:"myaddress" doc:"ordinary address of the node's key"`
	MyBalance           number.Coins    `json:"mybalance"`
}

func (b *Backend) tokenAddress(ctx context.Context, p tokenAddressParams) (tokenAddresses, error) {
	if p.PubKey != nil && *p.PubKey == "" {
		p.PubKey = nil // an empty key counts as missing
	}
	owner, err := b.parseOwner(ctx, p.PubKey)
	if err != nil {
		return tokenAddresses{}, err
	}
	mine, global := b.Wallet.PublicKey(), token.GlobalKey()
	result := tokenAddresses{Result: "success"}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		at := func(a chain.Address) (script.Address, number.Coins) {
			balance, _, _ := v.Balance(a) // v.Err returns the error
			return a.Text(), number.Coins(balance)
		}
		result.TokensCCAddress, result.TokensCCBalance = at(b.tokensOf(global))
		result.TokensNormalAddress, result.TokensNormalBalance = at(plainAddress(global))
		if p.PubKey != nil {
			address, balance := at(b.tokensOf(owner))
			result.PubKeyCCAddress, result.PubKeyCCBalance = &address, &balance
		}
		result.MyCCAddress, result.MyCCBalance = at(b.tokensOf(mine))
		result.MyAddress, result.MyBalance = at(plainAddress(mine))
		return v.Err()
	})
	return result, err
}
