package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// hidPage responds like hid.js, with emulated devices.
type hidPage struct {
	bus   *ledgertest.Bus
	conns []device.Conn
	says  string // response to all requests, if it is set
	fails error
}

func (p *hidPage) Ask(ctx context.Context, request []byte) ([]byte, error) {
	if p.fails != nil || p.says != "" {
		return []byte(p.says), p.fails
	}
	var q struct {
		Wallet, Do string
		With       struct {
			ID         string
			Vendor     uint16
			Connection int
			Report     []byte
		}
	}
	if err := json.Unmarshal(request, &q); err != nil || q.Wallet != "hid" {
		return nil, fmt.Errorf("unexpected request %s", request)
	}
	answer, err := p.do(ctx, q.Do, q.With.ID, q.With.Vendor, q.With.Connection, q.With.Report)
	var fault *device.Error
	if e, is := err.(*device.Error); is {
		fault = e
		answer = map[string]any{"fault": fault.Fault, "text": fault.Text}
	} else if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

func (p *hidPage) do(ctx context.Context, name, id string, vendor uint16, number int, report []byte) (map[string]any, error) {
	switch name {
	case "list":
		all, err := p.bus.List(ctx, vendor)
		list := []map[string]any{}
		for _, d := range all {
			list = append(list, map[string]any{"id": d.ID, "vendor": d.Vendor, "product": d.Product, "name": d.Name})
		}
		return map[string]any{"devices": list}, err
	case "open":
		c, err := p.bus.Open(ctx, id)
		p.conns = append(p.conns, c)
		return map[string]any{"connection": len(p.conns)}, err
	case "write":
		return map[string]any{}, p.conns[number-1].Write(ctx, report)
	case "read":
		report, err := p.conns[number-1].Read(ctx)
		return map[string]any{"report": report}, err
	case "close":
		return map[string]any{}, p.conns[number-1].Close()
	}
	return nil, fmt.Errorf("unexpected function %s", name)
}

// Devices of a page behave like the devices of any bus.
func TestDevicesOfAPage(t *testing.T) {
	d := ledgertest.New(t, "hid-1")
	d.OpenApp("Cosmos")
	page := &hidPage{bus: ledgertest.NewBus(d)}
	client := &ledger.Client{Port: ledger.Over(devices{page})}
	path := key.Path{44 + key.Hardened, 118 + key.Hardened, key.Hardened, 0, 0}
	confirm := func() error {
		return client.Cosmos(t.Context(), "", func(app *ledger.Cosmos) error { return app.Confirm(t.Context(), path, "cosmos", d.PublicKey(path)) })
	}
	all, err := devices{page}.List(t.Context(), ledger.Vendor)
	require.NoError(t, err)
	require.Equal(t, []device.Info{d.Info}, all)
	require.NoError(t, confirm())
	require.Len(t, d.Screens(), 1)
	d.Use(func(ctx context.Context, screen []string) bool {
		d.Unplug()
		return ledgertest.Ignore(ctx, screen)
	})
	require.Equal(t, device.Failf(device.Unplugged, `device "hid-1" was unplugged`), confirm())
}

// Every invalid response of a page is an error of the device, or the error of the call's context.
func TestPagesThatAnswerOddly(t *testing.T) {
	for name, c := range map[string]struct {
		says  string
		fails error
		fault device.Fault
	}{
		"no JSON":           {says: "x", fault: device.InvalidAnswer},
		"another shape":     {says: `{"devices":5}`, fault: device.InvalidAnswer},
		"too long":          {says: `{"devices":[]` + string(make([]byte, maxReply)) + "}", fault: device.InvalidAnswer},
		"a fault":           {says: `{"fault":"DeviceBusy","text":"words"}`, fault: device.Busy},
		"another fault":     {says: `{"fault":"Boom","text":"words"}`, fault: device.Failed},
		"no page":           {fails: key.NewWalletError("WalletGone", "closed"), fault: device.Failed},
		"a page that waits": {fails: key.NewWalletError("WalletTimeout", "late"), fault: device.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			page := devices{&hidPage{says: c.says, fails: c.fails}}
			_, err := page.List(t.Context(), ledger.Vendor)
			require.True(t, device.Is(err, c.fault), "%v", err)
		})
	}
	long := connection{bus: devices{&hidPage{says: `{"report":"` + string(make64(100)) + `"}`}}}
	_, err := long.Read(t.Context())
	require.True(t, device.Is(err, device.InvalidAnswer), "%v", err)
	_, err = devices{&hidPage{fails: context.Canceled}}.List(t.Context(), ledger.Vendor)
	require.ErrorIs(t, err, context.Canceled)
}

// make64 returns base64 of at least n bytes.
func make64(n int) []byte {
	b := make([]byte, (n+2)/3*4)
	for i := range b {
		b[i] = 'A'
	}
	return b
}
