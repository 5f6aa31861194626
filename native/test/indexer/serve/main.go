// Command serve runs the indexer of package indexer for tests that are not written in Go.
// Its standard input begins with one JSON object that says what to serve, and stays open:
// the program ends when it does. It writes its URL and a line break.
//
// Invariant: it does not outlive the test that started it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"obverse/core/wallet/nft/nfttest"
	"obverse/native/test/indexer"
)

// wanted holds the options of the server.
type wanted struct {
	Node      string            `json:"node"`      // URL of the node
	Chain     string            `json:"chain"`     // name of the chain in the indexer's API, such as ETH
	Documents map[string]string `json:"documents"` // documents of other servers, by URL
	Spam      []string          `json:"spam"`      // contracts, in lower case
	Phishing  []string          `json:"phishing"`  // domains
	Page      int               `json:"page"`      // items per page; 0 means 100
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var w wanted
	lines := json.NewDecoder(in)
	if err := lines.Decode(&w); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	if _, err := fmt.Fprintf(out, "http://%s\n", listener.Addr()); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- http.Serve(listener, w.server()) }()
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, in)
		ended <- err
	}()
	select {
	case err = <-failed:
	case err = <-ended:
	}
	return err
}

func (w wanted) server() *indexer.Server {
	s := indexer.New(w.Node, w.Chain)
	s.PageSize, s.Spam, s.Phishing = w.Page, set(w.Spam), set(w.Phishing)
	s.Documents = map[string]nfttest.Answer{}
	for url, text := range w.Documents {
		s.Documents[url] = nfttest.Answer{Body: []byte(text)}
	}
	return s
}

func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}
