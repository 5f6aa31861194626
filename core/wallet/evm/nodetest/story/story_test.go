package story

import (
	_ "embed"
	"testing"
)

// recorded is a tape of anvil 1.7.1. TestStory in native/test/anvil records it again.
//
//go:embed testdata/anvil.json
var recorded []byte

// TestRecorded plays the story with the recorded answers of a real network.
func TestRecorded(t *testing.T) { Play(t, Read(t, recorded), "http://anvil.example") }
