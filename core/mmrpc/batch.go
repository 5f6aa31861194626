package mmrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"obverse/core/guard"
	"obverse/core/metrics"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// DefaultBatch is the default for the maximum number of requests in a batch.
const DefaultBatch = 100

// atOnce is the number of requests of a batch that run concurrently.
const atOnce = 8

// MaxBatchReply limits the total length of a batch's answers, in bytes. Once it is exceeded,
// the remaining calls are refused. A call that has been made is always answered.
const MaxBatchReply = 4 << 20

// batch answers the requests of a batch independently, and returns the answers in order.
func (s *Server) batch(ctx context.Context, caller rpc.Caller, body []byte) (int, []byte) {
	var requests []json.RawMessage
	for raw := range rpc.Items(body) {
		if len(requests) == s.options.Batch {
			text := fmt.Sprintf("a batch may hold %d requests at most", s.options.Batch)
			s.options.Calls.Begin(ctx, api, metrics.Unknown)("InvalidRequest")
			return s.failure(mmerr.InvalidRequest.New(text, wire.Parsing+text), nil)
		}
		requests = append(requests, raw)
	}
	return statusOK, array(s.each(ctx, caller, requests))
}

// each answers requests until the answers are too large, and then refuses the others.
func (s *Server) each(ctx context.Context, caller rpc.Caller, requests []json.RawMessage) [][]byte {
	replies, try := make([][]byte, len(requests)), &attempt{caller: caller, turn: make(chan struct{}, 1)}
	room := rpc.TransportOf(ctx).TakeRoom
	var length atomic.Int64
	var full atomic.Bool
	var running sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for i, raw := range requests {
		free <- struct{}{}
		if full.Load() {
			replies[i] = s.refuse(ctx, raw)
			<-free
			continue
		}
		running.Go(func() {
			defer func() { <-free }()
			replies[i] = s.member(ctx, try, raw)
			size := len(replies[i])
			if !room(size) || length.Add(int64(size)) >= MaxBatchReply {
				full.Store(true)
			}
		})
	}
	running.Wait()
	return replies
}

// member answers one request of a batch. It is called in a separate goroutine.
func (s *Server) member(ctx context.Context, try *attempt, raw json.RawMessage) (reply []byte) {
	err := guard.Do(ctx, "a request of a batch", func() error {
		_, reply = s.one(ctx, try, raw)
		return nil
	})
	if err != nil {
		_, reply = s.failure(wire.Internal(err), nil)
	}
	return reply
}

// refuse answers a request without calling its method.
func (s *Server) refuse(ctx context.Context, raw json.RawMessage) []byte {
	e := readEnvelope(raw)
	end := s.options.Calls.Begin(ctx, api, metrics.Unknown)
	const text = "not called: the answers to this batch are too large already, send this request in another batch"
	_, reply, err := s.answer(e.id, nil, e.legacy(), mmerr.InvalidRequest.New(text, text))
	end(outcome(err))
	return reply
}

// array returns a JSON array of answers, with capacity for the end of a body.
func array(replies [][]byte) []byte {
	length := len("[]\n")
	for _, reply := range replies {
		length += len(reply) + len(",")
	}
	all := append(make([]byte, 0, length), '[')
	for i, reply := range replies {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, reply...)
		replies[i] = nil
	}
	return append(all, ']')
}
