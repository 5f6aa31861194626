package main

import (
	"context"
	"errors"

	"obverse/wasm/jsval"
)

// loadPart has the host load a part of this program.
func (h *host) loadPart(number int64) error {
	loading, err := h.object.Call("part", number)
	if err == nil {
		_, err = jsval.Await(context.Background(), loading)
	}
	var thrown *jsval.Error
	if errors.As(err, &thrown) {
		return errors.New(thrown.Text) // without the name of its class
	}
	return err
}
