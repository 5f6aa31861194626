package peers

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/versionstat"
)

const categoryVersionStats = "Version statistics"

// VersionStats is the area of the methods for the versions of other nodes.
type VersionStats struct {
	Collector *versionstat.Collector // nil, or without a probe, if this platform cannot query nodes
}

// Methods implements Area. If this platform cannot query nodes, all methods return an error.
func (v VersionStats) Methods() []rpc.Method {
	methods := []rpc.Method{
		rpc.Handle("add_node_to_version_stat", rpc.Doc{
			Summary: "Add a node to the list of nodes whose versions are queried", Category: categoryVersionStats,
		}, v.add).Raises(wire.Kinds(mmerr.PeerIDParseError, mmerr.InvalidAddress)...),
		rpc.Handle("remove_node_from_version_stat", rpc.Doc{
			Summary: "Remove a node from the list of queried nodes and keep its answers", Category: categoryVersionStats,
		}, v.remove),
		rpc.Handle("start_version_stat_collection", rpc.Doc{
			Summary: "Start to query the versions of all nodes on the list periodically", Category: categoryVersionStats,
		}, v.start).Raises(wire.Kinds(mmerr.AlreadyRunning, mmerr.CurrentlyStopping)...),
		rpc.Handle("update_version_stat_collection", rpc.Doc{
			Summary:  "Change the interval between queries",
			Detail:   "The change does not affect a running query and the interval after it.",
			Category: categoryVersionStats,
		}, v.update).Raises(wire.Kinds(mmerr.NotRunning)...),
		rpc.Handle("stop_version_stat_collection", rpc.Doc{
			Summary: "Stop the periodic version queries", Category: categoryVersionStats,
		}, v.stop).Raises(wire.Kinds(mmerr.NotRunning)...).Unread(),
		rpc.Handle("get_version_stat", rpc.Doc{Reads: true,
			Summary:  "List the answers of the nodes, newest first",
			Detail:   "The node stores the newest " + strconv.Itoa(versionstat.MaxAnswers) + " answers of all nodes together.",
			Category: categoryVersionStats,
		}, v.get),
	}
	for i, m := range methods {
		methods[i] = m.Guarded(func(context.Context) error { return v.check(m.Name) }).Raises(wire.Kinds(mmerr.DatabaseError, mmerr.UnsupportedMode)...)
		methods[i].Doc.Refusal = "Invalid request: " // Komodo DeFi Framework decodes the parameters inside these methods
	}
	return methods
}

// check checks the target and the state, before the parameters.
func (v VersionStats) check(method string) error {
	if v.Collector == nil || !v.Collector.Supported() {
		return wire.NativeOnly(method)
	}
	switch method {
	case "start_version_stat_collection":
		return stateFailure(v.Collector.CanStart())
	case "update_version_stat_collection":
		return stateFailure(v.Collector.CanChange())
	}
	return nil
}

type addNodeParams struct {
	Name    string `json:"name" doc:"unique name of your choice, at most 255 bytes"`
	Address string `json:"address" doc:"IPv4 address, IPv6 address or domain name, with a port if it differs from that of the network; the node resolves a name for each query"`
	PeerID  string `json:"peer_id" doc:"unique libp2p peer id of the node"`
}

func (v VersionStats) add(ctx context.Context, p addNodeParams) (string, error) {
	err := v.Collector.Add(ctx, versionstat.Node(p))
	var taken *versionstat.TakenError
	var peer *versionstat.PeerIDError
	var address *versionstat.AddressError
	switch {
	case errors.As(err, &taken):
		return "", databaseError(err, "UNIQUE constraint failed: nodes."+taken.Column)
	case errors.As(err, &peer):
		id, reason := echo(p.PeerID), peer.Cause.Error()
		return "", mmerr.PeerIDParseError.From(err, [2]string{id, reason}, "Error on parse peer id "+id+": "+reason)
	case errors.As(err, &address):
		data := "Couldn't resolve any IP on '" + echo(p.Address) + "' address. " + address.Reason
		return "", mmerr.InvalidAddress.From(err, data, "Invalid address: "+data)
	case errors.Is(err, versionstat.ErrName):
		return "", &rpc.ParamError{Path: "name", Want: "a text of at most 255 bytes", Got: rpc.KindString, Err: err}
	case errors.Is(err, versionstat.ErrFull):
		return "", databaseError(err, versionstat.ErrFull.Error())
	}
	return wire.Succeeded, storeFailure(err)
}

// echo returns a text for an answer, truncated if it is too long.
func echo(s string) string {
	if len(s) <= versionstat.MaxText {
		return s
	}
	return wire.Clip(s)
}

type removeNodeParams struct {
	Name string `json:"name" rpc:"absent=null" doc:"name of the node; an unknown name is not an error"`
}

func (v VersionStats) remove(ctx context.Context, p removeNodeParams) (string, error) {
	return wire.Succeeded, storeFailure(v.Collector.Remove(ctx, p.Name))
}

type intervalParams struct {
	Interval StatInterval `json:"interval" rpc:"absent=null" doc:"seconds between the end of a query and the start of the next"`
}

func (v VersionStats) start(ctx context.Context, p intervalParams) (string, error) {
	return wire.Succeeded, stateFailure(v.Collector.Start(ctx, time.Duration(p.Interval)))
}

func (v VersionStats) update(_ context.Context, p intervalParams) (string, error) {
	return wire.Succeeded, stateFailure(v.Collector.Update(time.Duration(p.Interval)))
}

func (v VersionStats) stop(context.Context, struct{}) (string, error) {
	return wire.Succeeded, stateFailure(v.Collector.Stop())
}

// maxStats limits the size of a page of get_version_stat.
const maxStats = 1000

type getStatsParams struct {
	Name  *string `json:"name" doc:"name of a node; by default all nodes"`
	From  uint64  `json:"from" default:"0" doc:"earliest time, inclusive, in seconds since 1970"`
	To    *uint64 `json:"to" doc:"latest time, inclusive, in seconds since 1970"`
	Limit uint32  `json:"limit" default:"100" doc:"number of answers per page, 1 to 1000"`
	Page  uint32  `json:"page" default:"1" doc:"page number, from 1"`
}

type statRow struct {
	Name      string `json:"name" doc:"name of the node at the time of the query"`
	Version   string `json:"version" doc:"version that the node reported; empty if it did not answer, or has no data"`
	Timestamp uint64 `json:"timestamp" doc:"end of the query, in seconds since 1970"`
	Error     string `json:"error" doc:"reason why version is empty; empty if the node answered, or has no data"`
}

type getStatsResult struct {
	Stats []statRow `json:"stats"`
	Total int       `json:"total" doc:"number of answers on all pages"`
	Limit uint32    `json:"limit"`
	Page  uint32    `json:"page"`
}

func (v VersionStats) get(ctx context.Context, p getStatsParams) (getStatsResult, error) {
	result := getStatsResult{Limit: p.Limit, Page: p.Page}
	if p.Limit < 1 || p.Limit > maxStats {
		return result, outOfRange("limit", "a whole number from 1 to 1000", uint64(p.Limit))
	}
	if p.Page < 1 {
		return result, outOfRange("page", "a whole number from 1", uint64(p.Page))
	}
	q := versionstat.Query{Name: p.Name, From: p.From, To: math.MaxUint64, Limit: int(p.Limit), Page: int(p.Page)}
	if p.To != nil {
		q.To = *p.To
	}
	answers, total, err := v.Collector.Stats(ctx, q)
	if err != nil {
		return result, storeFailure(err)
	}
	result.Stats, result.Total = make([]statRow, len(answers)), total
	for i, a := range answers {
		result.Stats[i] = statRow(a)
	}
	return result, nil
}

func outOfRange(name, want string, value uint64) error {
	return &rpc.ParamError{Path: name, Want: want, Got: rpc.KindNumber, Err: rpc.ErrRange, Value: strconv.AppendUint(nil, value, 10)}
}

// WantStatInterval describes the range from versionstat.MinInterval to versionstat.MaxInterval.
const WantStatInterval = "a number of seconds from 1 to 2592000"

// StatInterval is the interval between two rounds.
type StatInterval wire.Seconds

// UnmarshalParam implements rpc.Unmarshaler. The error for a wrong type is that of Komodo DeFi
// Framework.
func (i *StatInterval) UnmarshalParam(raw json.RawMessage) error {
	if kind := rpc.KindOf(raw); kind != rpc.KindNumber {
		return &rpc.ParamError{Want: "f64", Got: kind, Err: rpc.ErrType, Value: raw}
	}
	var s wire.Seconds
	err := s.UnmarshalParam(raw)
	if err != nil && !errors.Is(err, rpc.ErrRange) {
		return err
	}
	if d := s.Duration(); d < versionstat.MinInterval || d > versionstat.MaxInterval {
		return &rpc.ParamError{Want: WantStatInterval, Got: rpc.KindNumber, Err: rpc.ErrRange, Value: raw}
	}
	*i = StatInterval(s)
	return nil
}

// JSONSchema implements rpc.Described.
func (StatInterval) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "number", Minimum: "1", Maximum: "2592000", Description: WantStatInterval}
}

// stateFailure returns an error of the collector's state or of the store with a kind.
func stateFailure(err error) error {
	switch {
	case errors.Is(err, versionstat.ErrNotRunning):
		return mmerr.NotRunning.From(err, mmerr.None{}, "start_version_stat_collection is not running")
	case errors.Is(err, versionstat.ErrRunning):
		return mmerr.AlreadyRunning.From(err, mmerr.None{}, "start_version_stat_collection is already running")
	case errors.Is(err, versionstat.ErrStopping):
		return mmerr.CurrentlyStopping.From(err, mmerr.None{}, "Version stat collection is currently stopping")
	}
	return storeFailure(err)
}

// storeFailure returns a known error of the store with a kind. Other errors are only logged.
func storeFailure(err error) error {
	for _, known := range []error{store.ErrFailed, store.ErrClosed, table.ErrDamaged} {
		if errors.Is(err, known) {
			return databaseError(err, known.Error())
		}
	}
	return err
}

func databaseError(cause error, data string) error {
	return mmerr.DatabaseError.From(cause, data, "Database error: "+data)
}
