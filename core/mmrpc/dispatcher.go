package mmrpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"obverse/core/guard"
	"obverse/core/metrics"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// api is the label of the node API in metrics.
const api = "node"

// one answers a single request.
func (s *Server) one(ctx context.Context, try *attempt, raw json.RawMessage) (status int, reply []byte) {
	e := readEnvelope(raw)
	m, known := s.table.Lookup(e.method)
	known = known && e.named
	label := metrics.Unknown
	if known {
		label = m.Name
	}
	end := s.options.Calls.Begin(ctx, api, label)
	c := call{s: s, ctx: ctx, caller: try.caller, attempt: try, envelope: e, method: m, known: known}
	var value any
	legacy, err := c.check()
	if err == nil {
		value, err = c.invoke()
	}
	status, reply, err = s.answer(e.id, value, legacy, err)
	end(outcome(err))
	return status, reply
}

// call is a request that is being processed.
type call struct {
	s        *Server
	ctx      context.Context
	caller   rpc.Caller
	attempt  *attempt
	envelope *envelope
	method   rpc.Method      // the called form of the method
	params   json.RawMessage // parameters of the method
	known    bool            // whether the method exists
}

// check makes the checks in the order of Komodo DeFi Framework. The result legacy reports
// whether the answer has the legacy form.
func (c *call) check() (legacy bool, err error) {
	e := c.envelope
	if err := c.version(); err != nil {
		return false, err
	}
	if e.legacy() {
		if e.broken != nil {
			return false, wire.Refuse(e.broken)
		}
		if err := c.admit(c.public() || !e.named); err != nil {
			return true, err
		}
		if c.known && c.method.Doc.Legacy {
			c.method, c.params = c.method.Form(), e.topLevel()
			return true, nil
		}
		if e.named && !c.known { // its parameters are unknown and cannot be checked
			return false, c.s.noSuchMethod(e.method)
		}
		e.forgetJSONRPC(c.method)
	}
	if e.fault != nil {
		return false, wire.Refuse(e.fault)
	}
	if !e.legacy() { // legacy requests have already been admitted
		if err := c.admit(c.public()); err != nil {
			return false, err
		}
	}
	if !c.known {
		return false, c.s.noSuchMethod(e.method)
	}
	c.params = e.params
	return false, nil
}

// version returns an error if the version is present and not 2.0.
func (c *call) version() error {
	raw := c.envelope.mmrpc
	if c.envelope.legacy() {
		return nil
	}
	var data string
	switch rpc.KindOf(raw) {
	case rpc.KindString:
		given, err := rpc.Unquote(raw)
		if err == nil && given == version {
			return nil
		}
		data = "unknown variant `" + wire.Clip(given) + "`, expected `" + version + "`"
	case rpc.KindObject:
		data = "invalid value: map, expected map with a single key"
	default:
		data = "invalid type: " + wire.Unexpected(raw) + ", expected string or map"
	}
	return mmerr.InvalidVersion.New(data, "Error parsing mmrpc version: "+data)
}

// public reports whether anyone may call the method.
func (c *call) public() bool { return c.known && c.method.Doc.Public }

// open reports whether the method is open to all callers on this machine, and to others with
// the password.
func (c *call) open() bool { return c.known && c.method.Doc.Open }

// admit returns an error if the caller may not call the method.
func (c *call) admit(public bool) error {
	s := c.s
	if s.options.LocalOnly && !c.caller.Local && !public && !c.open() {
		return mmerr.LocalHostOnly.New(mmerr.None{}, "Selected method can be called from localhost only!")
	}
	if public || c.caller.Authorized || c.caller.Local && c.open() {
		return nil
	}
	given, present := c.envelope.password()
	if !present {
		return mmerr.UserpassNotSet.New(mmerr.None{}, "Userpass is not set!")
	}
	if err := c.attempt.check(c.ctx, s, given); err != nil {
		return err
	}
	rpc.TransportOf(c.ctx).MarkProven()
	return nil
}

func (s *Server) noSuchMethod(method string) error {
	text := "No such method"
	var names []string
	for _, m := range s.table.Methods() {
		names = append(names, m.Name)
	}
	if help := wire.DidYouMean(method, names); help != "" {
		text += ", " + help
	}
	return mmerr.NoSuchMethod.New(mmerr.None{}, text)
}

// invoke calls the method. If the method panics, only this call fails.
func (c *call) invoke() (value any, err error) {
	defer func() {
		if v := recover(); v != nil {
			value, err = nil, c.recovered(v)
		}
	}()
	rules := rpc.Rules{RefuseUnknown: c.s.options.StrictParams, Unknown: func(string) { c.s.unknown.Add(1) }}
	value, err = c.method.Named(c.ctx, c.params, rules)
	return value, c.kind(err, rpc.KindOf(c.params) == rpc.KindNull)
}

// recovered converts a panic to an error.
func (c *call) recovered(v any) error {
	if lacking, is := v.(guard.Unavailable); is {
		return unavailable(lacking)
	}
	return wire.Internal(guard.Tell(c.ctx, "the method "+c.method.Name, v))
}

var errPrint = errors.New("the result cannot be printed")

// kind returns the error of a method with a kind.
func (c *call) kind(err error, bare bool) error {
	if err == nil {
		return nil
	}
	var failure *mmerr.Error
	var param *rpc.ParamError
	var lacking guard.Unavailable
	switch {
	case errors.As(err, &failure):
		return err
	case errors.As(err, &lacking):
		return unavailable(lacking)
	case errors.As(err, &param):
		found := wire.Describe(err, param)
		if bare && errors.Is(param.Err, rpc.ErrMissing) {
			found = wire.Fault{Serde: "invalid type: null, expected struct " + rpc.TypeName(c.method.Name) + "Params", Help: "params is missing, and with it: " + found.Error(), Cause: found}
		}
		return wire.RefuseAs(found, cmp.Or(c.method.Doc.Refusal, wire.Parsing))
	case errors.Is(err, coin.ErrDisabled):
		return wire.DisabledMeanwhile(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		const text = "the call was cancelled"
		return mmerr.InternalError.From(err, text, "Internal error: "+text)
	}
	c.s.options.Log.Error("method failed", "method", c.method.Name, "error", err.Error())
	return wire.Internal(err)
}

// unavailable returns an error that names the missing requirement of the method.
func unavailable(lacking guard.Unavailable) error {
	return mmerr.InternalError.From(lacking, lacking.Error(), "Internal error: "+lacking.Error())
}

// outcome returns the label of an error in metrics.
func outcome(err error) string {
	if err == nil {
		return metrics.OK
	}
	if errors.Is(err, guard.ErrPanic) {
		return metrics.Panic
	}
	var own *mmerr.Error
	if errors.As(err, &own) {
		return own.Type()
	}
	return mmerr.InternalError.Row().Name
}
