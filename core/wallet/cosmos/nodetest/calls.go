package nodetest

import (
	"encoding/json"
	"os"
	"sync"

	"obverse/core/wallet/cosmos/wire"
)

// calls holds the calls of a file, with their results. Nodes share them: they change none.
type calls struct {
	recorded map[string]json.RawMessage // results by method and parameters
	accounts map[string]json.RawMessage // answers about accounts, by address
	simulate json.RawMessage
	found    map[string][]json.RawMessage // transactions by search
}

// files are the files that were read, by their paths: most tests have nodes, and to read
// a megabyte of JSON for each of them took half of their time.
var files sync.Map // of func() (*calls, error)

// callsOf gives the calls of a file.
func callsOf(path string) (*calls, error) {
	read, _ := files.LoadOrStore(path, sync.OnceValues(func() (*calls, error) { return readCalls(path) }))
	return read.(func() (*calls, error))()
}

func readCalls(path string) (*calls, error) {
	var list []struct {
		Name     string
		Path     string // set: not what a client sends
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

// add takes a call in, by the name that it was recorded under.
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
