package mmrpctest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"obverse/core/rpc"
)

// keyed lists the members of answers that are maps. Their keys are a user's coins and
// addresses, so only the shape of their values is compared.
var keyed = []string{"result.nfts", "result.balances", "result.tokens_balances", "result.eth_addresses_infos", "result.erc20_addresses_infos",
	"result.erc20_addresses_infos.*.balances", "result.nfts_infos"}

// difference compares the shapes of two JSON values: the members of objects with their order,
// and the types of all values. It describes the first difference, or returns "".
func difference(path string, want, got json.RawMessage) string {
	if rpc.KindOf(want) != rpc.KindOf(got) {
		return fmt.Sprintf("%s is a %s, not a %s", path, rpc.KindOf(got), rpc.KindOf(want))
	}
	switch rpc.KindOf(want) {
	case rpc.KindArray:
		return itemsDifference(path, want, got)
	case rpc.KindObject:
		return membersDifference(path, want, got)
	}
	return ""
}

// itemsDifference compares arrays. In a tuple, which has items of different types, it compares
// each item with its counterpart. In other arrays, every item must have the shape of the first.
func itemsDifference(path string, want, got json.RawMessage) string {
	samples, items := slices.Collect(rpc.Items(want)), slices.Collect(rpc.Items(got))
	if len(samples) == 0 {
		return ""
	}
	tuple := slices.ContainsFunc(samples, func(s json.RawMessage) bool { return rpc.KindOf(s) != rpc.KindOf(samples[0]) })
	if tuple && len(samples) != len(items) {
		return fmt.Sprintf("%s has %d items, not %d", path, len(items), len(samples))
	}
	for i, item := range items {
		sample := samples[0]
		if tuple {
			sample = samples[i]
		}
		if d := difference(path+"[]", sample, item); d != "" {
			return d
		}
	}
	return ""
}

func membersDifference(path string, want, got json.RawMessage) string {
	wantNames, wantValues := membersOf(want)
	gotNames, gotValues := membersOf(got)
	if slices.Contains(keyed, path) {
		if len(wantValues) == 0 || len(gotValues) == 0 {
			return ""
		}
		return difference(path+".*", wantValues[0], gotValues[0])
	}
	if !slices.Equal(wantNames, gotNames) {
		return fmt.Sprintf("%s has the members %v, not %v", path, gotNames, wantNames)
	}
	for i := range wantNames {
		if d := difference(strings.TrimPrefix(path+"."+wantNames[i], "."), wantValues[i], gotValues[i]); d != "" {
			return d
		}
	}
	return ""
}

func membersOf(object json.RawMessage) (names []string, values []json.RawMessage) {
	for name, value := range rpc.Members(object) {
		names, values = append(names, name), append(values, value)
	}
	return names, values
}

// memberOf returns a member of an object, or null if it is absent.
func memberOf(object json.RawMessage, wanted string) json.RawMessage {
	for name, value := range rpc.Members(object) {
		if name == wanted {
			return value
		}
	}
	return json.RawMessage("null")
}
