package story

import (
	_ "embed"
	"testing"
)

// recorded is from anvil 1.7.1; TestStory of native/test/anvil records it again.
//
//go:embed testdata/anvil.json
var recorded []byte

// The story goes with what a real network answered.
func TestRecorded(t *testing.T) { Play(t, Read(t, recorded), "http://anvil.example") }
