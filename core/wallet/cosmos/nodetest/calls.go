package nodetest

import (
	"encoding/json"
	"os"
	"sync"

	"obverse/core/wallet/cosmos/wire"
)

// calls holds the calls of a file with their results. Nodes share it and do not modify it.
type calls struct {
	recorded map[string]json.RawMessage // results by method and parameters
	accounts map[string]json.RawMessage // answers about accounts, by address
	simulate json.RawMessage
	found    map[string][]json.RawMessage // transactions by search
}

// files caches the parsed files, by their paths. Most tests have nodes, and parsing a megabyte
// of JSON for each took half of their time.
var files sync.Map // values are func() (*calls, error)

// callsOf returns the calls of a file.
func callsOf(path string) (*calls, error) {
	read, _ := files.LoadOrStore(path, sync.OnceValues(func() (*calls, error) { return readCalls(path) }))
	return read.(func() (*calls, error))()
}

func readCalls(path string) (*calls, error) {
	var list []struct {
		Name     string
		Path     string // if set, not a request of a client
		Request  json.RawMessage
		Response json.RawMessage
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(file, &list); err != nil {
		return nil, err
	}
	known := &calls{recorded: map[string]json.RawMessage{}, accounts: map[string]json.RawMessage{}, found: map[string][]json.RawMessage{}}
	for _, c := range list {
		var r request
		var response struct{ Result json.RawMessage }
		if c.Path != "" || json.Unmarshal(c.Request, &r) != nil || json.Unmarshal(c.Response, &response) != nil || response.Result == nil {
			continue
		}
		if err := known.add(c.Name, r, response.Result); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// add adds a call under the name with which it was recorded.
func (k *calls) add(name string, r request, result json.RawMessage) error {
	k.recorded[r.key()] = result
	if r.Method == "tx_search" && r.Params.PerPage == pageOfRecordings && r.Params.Order == "asc" {
		var page struct{ Txs []json.RawMessage }
		if err := json.Unmarshal(result, &page); err != nil {
			return err
		}
		k.found[r.Params.Query] = append(k.found[r.Params.Query], page.Txs...)
	}
	switch address := r.about(); {
	case name == "simulate: coin":
		k.simulate = result
	case address != "" && r.path() == wire.PathAccount:
		k.accounts[address] = result
	}
	return nil
}
