package httpd

import (
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"obverse/core/guard"
	"obverse/core/metrics"
	"obverse/native/limit"
)

// namespace is the prefix of the project's own metrics.
const namespace = "obverse"

// Build is the version of the running program.
type Build struct{ Version, Commit string }

// Metrics collects metrics for Prometheus in a separate registry. It implements metrics.Calls for both
// APIs.
type Metrics struct {
	others      []prometheus.Gatherer
	registry    *prometheus.Registry
	calls       *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	requests    *prometheus.CounterVec
	inFlight    *prometheus.GaugeVec
	connections *prometheus.GaugeVec
	dropped     *prometheus.CounterVec
	panics      prometheus.Counter

	known    figures[outcomeLabels, outcomeFigures]
	answered figures[requestLabels, prometheus.Counter]
}

// outcomeLabels are the labels of counted calls.
type outcomeLabels struct{ api, method, outcome string }

type outcomeFigures struct {
	seconds prometheus.Observer // of all outcomes
	calls   prometheus.Counter
}

// requestLabels are the labels of counted requests.
type requestLabels struct {
	port   string
	status int
}

// figures caches collectors by their labels. The number of keys is limited by the labels.
type figures[K comparable, V any] struct{ all atomic.Pointer[map[K]V] }

// get returns the value of a key, which it gets from look the first time.
func (f *figures[K, V]) get(key K, look func() V) V {
	before := f.all.Load()
	if before != nil {
		if v, is := (*before)[key]; is {
			return v
		}
	}
	after := map[K]V{key: look()}
	if before != nil {
		maps.Copy(after, *before)
	}
	f.all.CompareAndSwap(before, &after) // if another goroutine was faster, the next call looks the value up again
	return after[key]
}

var _ metrics.Calls = (*Metrics)(nil)

// NewMetrics starts all counters at zero.
func NewMetrics(build Build) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "rpc_calls_total", Help: "Calls by interface, method and outcome.",
		}, []string{"interface", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "rpc_call_seconds", Help: "Time that a method took.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 4, 8), // 0.5 ms to 8 s
		}, []string{"interface", "method"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_requests_total", Help: "Requests by port and HTTP status.",
		}, []string{"interface", "status"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Name: "http_requests_in_flight", Help: "Requests that are not over yet, open event streams among them.",
		}, []string{"interface"}),
		connections: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Name: "http_connections", Help: "Connections that are open.",
		}, []string{"interface"}),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "http_connections_dropped_total", Help: "Connections that had to make room for others.",
		}, []string{"interface"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: namespace, Name: "panics_total", Help: "Panics that only their own work failed of.",
		}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "Always 1; the labels say which build runs.",
		ConstLabels: prometheus.Labels{"version": build.Version, "commit": build.Commit},
	})
	info.Set(1)
	m.registry.MustRegister(m.calls, m.seconds, m.requests, m.inFlight, m.connections, m.dropped, m.panics, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Watch adds gauges that are read at each scrape. It panics if a name is already in use, which is a
// bug in the program.
func (m *Metrics) Watch(gauges ...metrics.Gauge) {
	for _, g := range gauges {
		var figure prometheus.Collector
		if g.Grows {
			figure = prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: g.Name, Help: g.Help}, g.Read)
		} else {
			figure = prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: g.Name, Help: g.Help}, g.Read)
		}
		m.registry.MustRegister(figure)
	}
}

// Begin implements metrics.Calls. The log line of the request names the call too.
func (m *Metrics) Begin(ctx context.Context, api, method string) func(outcome string) {
	start := time.Now()
	return func(outcome string) {
		figures := m.known.get(outcomeLabels{api, method, outcome}, func() outcomeFigures {
			return outcomeFigures{m.seconds.WithLabelValues(api, method), m.calls.WithLabelValues(api, method, outcome)}
		})
		figures.seconds.Observe(time.Since(start).Seconds())
		figures.calls.Inc()
		callsOf(ctx).add(method, outcome)
	}
}

// connection returns a hook that counts the connections of a port.
func (m *Metrics) connection(port string) func(net.Conn, http.ConnState) {
	open := m.connections.WithLabelValues(port)
	return func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Inc()
		case http.StateIdle:
			if c, ok := conn.(*limit.Conn); ok {
				c.Wait()
			}
		case http.StateClosed, http.StateHijacked:
			open.Dec()
		}
	}
}

// Panicked returns a watcher for guard.With that counts and logs panics.
func (m *Metrics) Panicked(log *slog.Logger) func(*guard.Panic) {
	return func(p *guard.Panic) {
		m.panics.Inc()
		log.Error("recovered from a panic", "work", p.Work, "panic", p.Cause, "stack", p.Stack)
	}
}

// droppedOf returns the counter of connections of a port that were closed to make room.
func (m *Metrics) droppedOf(port string) prometheus.Counter { return m.dropped.WithLabelValues(port) }

func (m *Metrics) request(port string, status int) {
	m.answered.get(requestLabels{port, status}, func() prometheus.Counter {
		return m.requests.WithLabelValues(port, strconv.Itoa(status))
	}).Inc()
}

// Include adds the metrics of other packages, which must have other names. Call it before the first scrape.
func (m *Metrics) Include(g prometheus.Gatherer) { m.others = append(m.others, g) }

func (m *Metrics) handler() http.Handler {
	all := func() ([]*dto.MetricFamily, error) {
		return append(prometheus.Gatherers{m.registry}, m.others...).Gather()
	}
	return promhttp.HandlerFor(prometheus.GathererFunc(all), promhttp.HandlerOpts{})
}
