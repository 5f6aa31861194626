package daemon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"obverse/core/chain"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

// Values that clients of komodod 0.9.0 expect.
const (
	komodoVersion   = "0.9.0"
	clientVersion   = 90_000
	protocolVersion = 170_013
	walletVersion   = 60_000
)

func (b *Backend) controlMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("getinfo", rpc.Doc{Summary: "Return information about the node, the chain and the wallet", Category: categoryControl}, b.getInfo).Gives(nodeInfo{}),
		rpc.Handle("stop", rpc.Doc{Summary: "Stop the node", Category: categoryControl}, b.stop),
		rpc.Handle("getnetworkinfo", rpc.Doc{
			Summary: "Return information about the network connections", Detail: "A solo chain has one node. Only connections to other validators count.", Category: "Network",
		}, b.getNetworkInfo).Gives(networkInfo{}),
	}
}

var errNoStop = &Error{CodeMisc, "this node cannot be stopped by a request"}

func (b *Backend) stop(context.Context, struct{}) (string, error) {
	if b.Stop == nil {
		return "", errNoStop
	}
	b.Stop()
	return "Obverse server stopping", nil
}

// nodeInfo is the result of getinfo (komodod rpc/misc.cpp). Blocks are not notarized here.
type nodeInfo struct {
	Version         int          `json:"version"`
	Protocol        int          `json:"protocolversion"`
	KomodoVersion   string       `json:"KMDversion"`
	Synced          bool         `json:"synced"`
	Notarized       int          `json:"notarized"`
	PrevMoM         int          `json:"prevMoMheight"`
	NotarizedHash   wire.Hash    `json:"notarizedhash"`
	NotarizedTxID   wire.Hash    `json:"notarizedtxid"`
	NotarizedHeight string       `json:"notarizedtxid_height"`
	KMDNotarized    int          `json:"KMDnotarized_height"`
	NotarizedDepth  int          `json:"notarized_confirms"`
	WalletVersion   int          `json:"walletversion"`
	Balance         number.Coins `json:"balance" doc:"balance of the wallet"`
	Blocks          int          `json:"blocks" doc:"height of the chain"`
	LongestChain    int          `json:"longestchain" doc:"always 0"`
	TipTime         uint32       `json:"tiptime"`
	Difficulty      json.Number  `json:"difficulty"`
	KeyPoolOldest   int64        `json:"keypoololdest"`
	KeyPoolSize     int          `json:"keypoolsize" doc:"number of keys that are watched after the last used one"`
	PayTxFee        number.Coins `json:"paytxfee"`
	Sapling         int          `json:"sapling" doc:"height at which the Sapling rules activate; -1 if it is not known yet"`
	TimeOffset      int          `json:"timeoffset"`
	Connections     int          `json:"connections"`
	Proxy           string       `json:"proxy"`
	Testnet         bool         `json:"testnet"`
	RelayFee        number.Coins `json:"relayfee" doc:"minimum relay fee, in coins per 1000 bytes"`
	Errors          string       `json:"errors"`
	PubKey          string       `json:"pubkey,omitempty" doc:"public key of the node's key"`
	CCID            int          `json:"CCid,omitempty" doc:"the chain parameter ac_cc"`
	Name            string       `json:"name"`
	P2PPort         uint16       `json:"p2pport" doc:"port for other validators; 0 on a solo chain"`
	RPCPort         uint16       `json:"rpcport" doc:"port of the daemon API"`
	Magic           int32        `json:"magic"`
	Premine         int64        `json:"premine" doc:"the chain parameter ac_supply, in coins"`
	schedule
	Commission uint64 `json:"commission,omitempty" doc:"the chain parameter ac_perc"`
}

// schedule describes the reward of a chain. Each member is a comma-separated list with a value
// for each era.
type schedule struct {
	Eras       uint64 `json:"eras,omitempty"`
	Reward     string `json:"reward,omitempty"`
	Halving    string `json:"halving,omitempty"`
	Decay      string `json:"decay,omitempty"`
	EndSubsidy string `json:"endsubsidy,omitempty"`
	NotaryPay  string `json:"notarypay,omitempty"`
}

func (b *Backend) getInfo(ctx context.Context, _ struct{}) (info *nodeInfo, err error) {
	p := b.Manager.Params()
	network, synced, warning := b.network(ctx)
	info = &nodeInfo{
		Version: clientVersion, Protocol: protocolVersion, KomodoVersion: komodoVersion, Synced: synced,
		NotarizedHeight: "mempool", WalletVersion: walletVersion, Sapling: p.SaplingHeight, RelayFee: number.Coins(b.RelayFee),
		Errors: warning, CCID: p.CCID, Name: p.Name, P2PPort: p.P2PPort, RPCPort: p.RPCPort, Magic: int32(p.Magic), Premine: p.Supply,
		schedule: showSchedule(p), Commission: p.Options().Perc,
	}
	if b.Port != nil {
		info.P2PPort, info.RPCPort = network.Port, uint16(b.Port())
	}
	info.Connections = network.Connections
	if b.Wallet != nil {
		pub := b.Wallet.PublicKey()
		info.PubKey = hex.EncodeToString(pub[:])
	}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		tip := v.Tip()
		info.Blocks, info.TipTime, info.Difficulty = tip.Height, tip.Time, difficulty(tip.Bits)
		if !upgradesKnown(tip.Height, p) {
			info.Sapling = -1
		}
		if b.Ring != nil {
			info.KeyPoolSize, info.PayTxFee = b.Ring.Left(), number.Coins(b.Ring.FeeRate())
			info.KeyPoolOldest = b.Ring.Peek(false).Created
		}
		balance, err := b.balance(v, 0)
		info.Balance = number.Coins(balance)
		return err
	})
	return info, err
}

func showSchedule(p *params.Params) (s schedule) {
	o := p.Schedule()
	if o.Eras == 1 && (len(o.Reward) == 0 || o.Reward[0] == 0) {
		return s
	}
	s = schedule{
		Reward: perEra(o.Reward, o.Eras), Halving: perEra(o.Halving, o.Eras), Decay: perEra(o.Decay, o.Eras),
		EndSubsidy: perEra(o.End, o.Eras), NotaryPay: perEra(o.NotaryPay, o.Eras),
	}
	if o.Eras > 1 {
		s.Eras = o.Eras
	}
	return s
}

// perEra lists a value for each era. The last given value applies to later eras.
func perEra(values []uint64, eras uint64) string {
	if len(values) == 0 {
		values = []uint64{0}
	}
	texts := make([]string, eras)
	for i := range texts {
		texts[i] = strconv.FormatUint(values[min(i, len(values)-1)], 10)
	}
	return strings.Join(texts, ",")
}

type networkInfo struct {
	Version     int           `json:"version"`
	SubVersion  string        `json:"subversion"`
	Protocol    int           `json:"protocolversion"`
	Services    string        `json:"localservices"`
	TimeOffset  int           `json:"timeoffset"`
	Connections int           `json:"connections"`
	Networks    []networkPart `json:"networks"`
	RelayFee    number.Coins  `json:"relayfee" doc:"minimum relay fee, in coins per 1000 bytes"`
	Addresses   []string      `json:"localaddresses"`
	Warnings    string        `json:"warnings"`
}

type networkPart struct {
	Name      string `json:"name"`
	Limited   bool   `json:"limited"`
	Reachable bool   `json:"reachable"`
	Proxy     string `json:"proxy"`
	Randomize bool   `json:"proxy_randomize_credentials"`
}

func (b *Backend) getNetworkInfo(ctx context.Context, _ struct{}) (*networkInfo, error) {
	network, _, warning := b.network(ctx)
	info := &networkInfo{
		Connections: network.Connections,
		Version:     clientVersion, SubVersion: "/Obverse:" + b.Version + "/", Protocol: protocolVersion,
		Services: "0000000000000000", RelayFee: number.Coins(b.RelayFee), Addresses: []string{}, Warnings: warning,
	}
	for _, name := range []string{"ipv4", "ipv6", "onion"} {
		info.Networks = append(info.Networks, networkPart{Name: name, Limited: true})
	}
	return info, nil
}

// categoryControl is the category of the methods about the node itself.
const categoryControl = "Control"

type helpParams struct {
	Command Text `json:"command" rpc:"optional" doc:"name of a method"`
}

func (s *Server) helpMethod() rpc.Method {
	doc := rpc.Doc{
		Usage:    `help ( "command" )`,
		Summary:  "List all methods, or describe one method",
		Category: categoryControl,
	}
	return rpc.Handle("help", doc, func(_ context.Context, p helpParams) (string, error) {
		if p.Command == "" {
			return s.table.Help(), nil
		}
		if m, ok := s.table.Lookup(string(p.Command)); ok {
			return m.Help(), nil
		}
		return "help: unknown command: " + string(p.Command), nil
	})
}

func (s *Server) discoverMethod() rpc.Method {
	doc := rpc.Doc{
		Summary:  "Return an OpenRPC document that describes all methods of the API",
		Category: categoryControl,
		Open:     true,
		Reads:    true,
	}
	return rpc.Handle("rpc.discover", doc, func(context.Context, struct{}) (rpc.Printed, error) {
		return s.discover()
	}).Gives(rpc.Document{})
}
