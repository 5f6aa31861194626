package trezor

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"obverse/core/net/fetch"
	"obverse/core/wallet/signer/device"
)

// BridgeURL is the URL of Trezor Bridge and Trezor Suite on a user's machine.
const BridgeURL = "http://127.0.0.1:21325"

// BridgePort is the port of BridgeURL.
const BridgePort = 21325

// Bridge connects to devices through Trezor Bridge or Trezor Suite, which use USB for programs
// that cannot. It implements Port.
type Bridge struct {
	Fetch fetch.Fetcher // its time limit must be longer than the time for a user's confirmation
	URL   string        // without a trailing slash
}

// bridgeOrigin is sent because Bridge only answers Trezor's own pages and programs with this
// origin (trezord-go README.md). trezorlib sends the same.
const bridgeOrigin = "https://python.trezor.io"

// maxBridgeAnswer is the maximum size of answers. Messages are in hexadecimal.
const maxBridgeAnswer = 2*(MaxMessage+headSize) + 1024

// bridgeDevice is an element of the list of devices.
type bridgeDevice struct {
	Path    string  `json:"path"`
	Vendor  uint16  `json:"vendor"`
	Product uint16  `json:"product"`
	Session *string `json:"session"`
}

// maxBridgeDevices limits the list of devices, and maxBridgeName the length of names of devices
// and sessions.
const (
	maxBridgeDevices = 64
	maxBridgeName    = 256
)

// List implements Port. It includes emulators, which have no vendor number.
func (b *Bridge) List(ctx context.Context) ([]device.Info, error) {
	found, err := b.enumerate(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]device.Info, len(found))
	for i, d := range found {
		all[i] = device.Info{ID: d.Path, Vendor: d.Vendor, Product: d.Product, Name: "Trezor"}
	}
	return all, nil
}

func (b *Bridge) enumerate(ctx context.Context) (all []bridgeDevice, err error) {
	if err := b.decode(ctx, "enumerate", &all); err != nil {
		return nil, err
	}
	if len(all) > maxBridgeDevices {
		return nil, b.invalid("enumerate")
	}
	for _, d := range all {
		if d.Path == "" || len(d.Path) > maxBridgeName || d.Session != nil && len(*d.Session) > maxBridgeName {
			return nil, b.invalid("enumerate")
		}
	}
	return all, nil
}

// Open implements Port. It takes over a device that another program did not release.
func (b *Bridge) Open(ctx context.Context, id string) (Link, error) {
	all, err := b.enumerate(ctx)
	if err != nil {
		return nil, err
	}
	previous, found := "null", false
	for _, d := range all {
		if d.Path != id {
			continue
		}
		if found = true; d.Session != nil && *d.Session != "" {
			previous = *d.Session
		}
	}
	if !found {
		return nil, device.Failf(device.NotFound, "device %q is not connected", id)
	}
	var answer struct {
		Session string `json:"session"`
	}
	if err := b.decode(ctx, "acquire/"+url.PathEscape(id)+"/"+url.PathEscape(previous), &answer); err != nil {
		return nil, err
	}
	if answer.Session == "" || len(answer.Session) > maxBridgeName {
		return nil, b.invalid("acquire")
	}
	return &bridgeLink{b, url.PathEscape(answer.Session)}, nil
}

// decode sends a request and decodes the JSON of the answer.
func (b *Bridge) decode(ctx context.Context, endpoint string, into any) error {
	answer, err := b.post(ctx, endpoint, nil)
	if err != nil {
		return err
	}
	if json.Unmarshal(answer, into) != nil {
		return b.invalid(endpoint)
	}
	return nil
}

func (b *Bridge) invalid(endpoint string) error {
	name, _, _ := strings.Cut(endpoint, "/")
	return device.Failf(device.InvalidAnswer, "invalid answer from Trezor Bridge at %s to %s", b.URL, name)
}

func (b *Bridge) post(ctx context.Context, endpoint string, content []byte) ([]byte, error) {
	answer, err := b.Fetch.Fetch(ctx, fetch.Request{
		Method: "POST", URL: b.URL + "/" + endpoint, Body: content, Limit: maxBridgeAnswer,
		Header: map[string]string{"Origin": bridgeOrigin, "Content-Type": "text/plain"},
	})
	switch {
	case err == nil && answer.Status == 200:
		return answer.Body, nil
	case err == nil:
		return nil, b.refused(answer)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, fetch.ErrUnreachable):
		return nil, device.Failf(device.NotFound, "Trezor Bridge at %s is not running: start Trezor Suite", b.URL)
	case errors.Is(err, fetch.ErrTimeout):
		return nil, device.Failf(device.Timeout, "Trezor Bridge at %s timed out", b.URL)
	case errors.Is(err, fetch.ErrTooLarge):
		return nil, b.invalid(endpoint)
	}
	return nil, device.Failf(device.Failed, "Trezor Bridge at %s: %v", b.URL, err)
}

// refused parses an error such as {"error": "wrong previous session"}.
func (b *Bridge) refused(answer fetch.Response) error {
	var refusal struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(answer.Body, &refusal) // empty if there is no text
	said := device.Said([]byte(refusal.Error))
	switch refusal.Error {
	case "device not found":
		return device.Failf(device.NotFound, "device is not connected")
	case "wrong previous session", "other call in progress", "unable to open device":
		return device.Failf(device.Busy, "another program uses the device%s", said)
	case "session not found", "device disconnected during action", "closed device":
		return device.Failf(device.Unplugged, "device was unplugged, or another program took it over%s", said)
	}
	return device.Failf(device.Failed, "Trezor Bridge at %s failed with status %d%s", b.URL, answer.Status, said)
}

// bridgeLink is a device that Bridge has opened.
type bridgeLink struct {
	bridge  *Bridge
	session string
}

func (l *bridgeLink) Call(ctx context.Context, m Message) (Message, error) {
	endpoint, content := "call", hexadecimal(m)
	return current(m, func() (Message, error) {
		answer, err := l.bridge.post(ctx, endpoint+"/"+l.session, content)
		if err != nil {
			return Message{}, err
		}
		endpoint, content = "read", nil
		return l.bridge.message(answer)
	})
}

// message decodes a message in hexadecimal.
func (b *Bridge) message(answer []byte) (Message, error) {
	whole, err := hex.DecodeString(strings.TrimSpace(string(answer)))
	if err != nil || len(whole) < headSize || len(whole) > headSize+MaxMessage || uint64(binary.BigEndian.Uint32(whole[2:])) != uint64(len(whole)-headSize) {
		return Message{}, b.invalid("call")
	}
	return Message{Kind(binary.BigEndian.Uint16(whole)), whole[headSize:]}, nil
}

func (l *bridgeLink) Tell(ctx context.Context, m Message) error {
	_, err := l.bridge.post(ctx, "post/"+l.session, hexadecimal(m))
	return err
}

// Close releases the device. If this fails, the next Open takes it over.
func (l *bridgeLink) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	_, err := l.bridge.post(ctx, "release/"+l.session, nil)
	return err
}

func hexadecimal(m Message) []byte { return []byte(hex.EncodeToString(m.encode())) }
