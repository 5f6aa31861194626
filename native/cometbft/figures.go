package cometbft

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Figures are CometBFT's own: heights, rounds, peers, its mempool. CometBFT collects them in
// Prometheus' default registry, where there are others, which the node has by itself.
func Figures() prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		families, err := prometheus.DefaultGatherer.Gather()
		return slices.DeleteFunc(families, func(f *dto.MetricFamily) bool { return !strings.HasPrefix(f.GetName(), "cometbft_") }), err
	})
}
