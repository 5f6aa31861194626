package trezortest

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/wallet/protobuf"
	"obverse/core/wallet/signer/trezor"
)

// failure is an error that is returned as a Failure message.
type failure struct {
	code uint64
	text string
}

func (f failure) Error() string { return fmt.Sprintf("%d %s", f.code, f.text) }

// Failures that a device returns in several situations.
var (
	cancelled  = failure{4, "Cancelled"}
	unexpected = failure{1, "Unexpected message"}
	malformed  = failure{3, "Malformed data"}
	pulledOut  = failure{99, "pulled out"} // not sent
)

// interrupted means that a host sent another request while the device waited for an answer.
type interrupted struct{ by trezor.Message }

func (interrupted) Error() string { return "interrupted" }

// run answers messages until the device is unplugged.
func (d *Device) run(plugged chan struct{}, inbox chan trezor.Message) {
	for {
		select {
		case m := <-inbox:
			d.answer(m, plugged, inbox)
		case <-plugged:
			return
		}
	}
}

func (d *Device) answer(m trezor.Message, plugged chan struct{}, inbox chan trezor.Message) {
	for {
		t := &talk{d: d, request: m.Kind, plugged: plugged, inbox: inbox}
		answer, err := t.handle(m)
		switch err := err.(type) {
		case nil:
			t.send(answer)
		case failure:
			if err == pulledOut { // the current connection made no request
				return
			}
			t.send(trezor.Message{Kind: trezor.KindFailure, Body: text(number(nil, 1, err.code), 2, err.text)})
		case interrupted:
			m = err.by
			continue
		}
		return
	}
}

// talk is the conversation about one request.
type talk struct {
	d       *Device
	request trezor.Kind
	plugged chan struct{}
	inbox   chan trezor.Message
}

// send sends an answer to the current connection.
func (t *talk) send(m trezor.Message) {
	var tamper func(trezor.Kind, trezor.Message) trezor.Message
	var host *Host
	t.d.do(func() { tamper, host = t.d.tamper, t.d.host })
	if tamper != nil {
		m = tamper(t.request, m)
	}
	if host != nil {
		host.deliver(m)
	}
}

// receive waits for the next message.
func (t *talk) receive() (m trezor.Message, err error) {
	select {
	case m = <-t.inbox:
	case <-t.plugged:
		return m, pulledOut
	}
	return m, interruption(m)
}

// interruption returns the error for a message that ends the current request.
func interruption(m trezor.Message) error {
	switch m.Kind {
	case trezor.KindCancel:
		return cancelled
	case trezor.KindInitialize, trezor.KindGetFeatures:
		return interrupted{m}
	}
	return nil
}

// ask sends a message and returns the fields of the answer, which must be of the given kind.
func (t *talk) ask(m trezor.Message, want trezor.Kind) (trezor.Fields, error) {
	t.send(m)
	answer, err := t.receive()
	if err != nil {
		return nil, err
	}
	return fields(answer, want)
}

func fields(m trezor.Message, want trezor.Kind) (trezor.Fields, error) {
	if m.Kind != want {
		return nil, unexpected
	}
	all, ok := trezor.ReadFields(m.Body)
	if !ok {
		return nil, malformed
	}
	return all, nil
}

// show announces a screen to the host, shows it, and waits for the decision of the user.
func (t *talk) show(code uint64, screen ...string) error {
	if _, err := t.ask(trezor.Message{Kind: trezor.KindButtonRequest, Body: number(nil, 1, code)}, trezor.KindButtonAck); err != nil {
		return err
	}
	var user User
	t.d.do(func() {
		t.d.screens = append(t.d.screens, screen)
		user = t.d.user
	})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	decided := make(chan bool, 1)
	go func() { decided <- user(ctx, screen) }()
	select {
	case approved := <-decided:
		if !approved {
			return cancelled
		}
		return nil
	case m := <-t.inbox:
		if err := interruption(m); err != nil {
			return err
		}
		return unexpected
	case <-t.plugged:
		return pulledOut
	}
}

func number(b []byte, n protowire.Number, value uint64) []byte {
	return protobuf.AppendNumber(b, n, value)
}

func bytes(b []byte, n protowire.Number, value []byte) []byte {
	return protobuf.AppendBytes(b, n, value)
}

func text(b []byte, n protowire.Number, value string) []byte { return bytes(b, n, []byte(value)) }
