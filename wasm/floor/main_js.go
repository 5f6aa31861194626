package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"syscall/js"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/tidwall/buntdb"
)

// request is a request of the host, in JSON.
type request struct {
	Key    string   `json:"key"`
	Amount *big.Int `json:"amount"`
	URL    string   `json:"url"`
	Late   bool     `json:"late,omitempty"`
}

type answer struct {
	Public string `json:"public,omitempty"`
	Share  string `json:"share,omitempty"`
	Host   string `json:"host,omitempty"`
	Stored string `json:"stored,omitempty"`
	Error  string `json:"error,omitempty"`
}

// main provides the function to the host and does not return.
func main() {
	js.Global().Set("floor", map[string]any{"work": js.FuncOf(func(_ js.Value, args []js.Value) any {
		body, then := args[0].String(), args[1]
		go func() { then.Invoke(work(context.Background(), body)) }()
		return nil
	})})
	select {}
}

// work uses each library once.
func work(ctx context.Context, body string) string {
	var r request
	decoder := json.NewDecoder(bytes.NewReader([]byte(body)))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&r)
	a := answer{}
	if err == nil {
		a, err = r.do(ctx)
	}
	if err != nil {
		a = answer{Error: err.Error()}
	}
	encoded, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

func (r *request) do(ctx context.Context) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if r.Late {
		cancel()
	}
	address, err := url.Parse(r.URL)
	if err != nil {
		return answer{}, fmt.Errorf("the address: %w", err)
	}
	if r.Amount == nil {
		return answer{}, errors.New("amount is missing")
	}
	public, err := recovered(r.Key)
	if err != nil {
		return answer{}, err
	}
	stored, err := stored(ctx, public)
	if err != nil {
		return answer{}, fmt.Errorf("the store: %w", err)
	}
	share := new(big.Rat).SetFrac(r.Amount, big.NewInt(3))
	return answer{Public: public, Share: share.FloatString(8), Host: address.Host, Stored: stored}, nil
}

// recovered signs a text with a key, and returns the public key that it recovers from the signature.
func recovered(text string) (string, error) {
	bytes, err := hex.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("the key %q: %w", text, err)
	}
	mac := hmac.New(sha512.New, []byte("floor"))
	mac.Write(bytes)
	key, _ := btcec.PrivKeyFromBytes(mac.Sum(nil)[:32])
	digest := sha256.Sum256(bytes)
	public, _, err := ecdsa.RecoverCompact(ecdsa.SignCompact(key, digest[:], true), digest[:])
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(public.SerializeCompressed()), nil
}

// stored writes a value into a store and reads it.
func stored(ctx context.Context, value string) (string, error) {
	db, err := buntdb.Open(":memory:")
	if err != nil {
		return "", err
	}
	done := make(chan error, 1)
	go func() {
		done <- db.Update(func(tx *buntdb.Tx) error {
			_, _, err := tx.Set("key", value, nil)
			return err
		})
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return "", err
	}
	found := ""
	err = db.View(func(tx *buntdb.Tx) error {
		return tx.AscendKeys("*", func(_, value string) bool {
			found = value
			return true
		})
	})
	return found, errors.Join(err, db.Close())
}
