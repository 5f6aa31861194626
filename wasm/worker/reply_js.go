package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"syscall/js"
	"time"

	"obverse/wasm/jsval"
)

// rawBody is a method of the library's http.ResponseWriter in addition to http's: it sends a
// body that is a value of JavaScript. All answers use it. Data written by Write goes through a
// pipe whose end ends the program with the first answer (handler_js.go closes one channel each
// time), and which panics when a client hangs up (stream.go closes a stream that is).
type rawBody interface{ WriteRawJSBody(body js.Value) }

// send gives a whole answer.
func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	raw(w, jsval.ValueOf(body))
}

// raw gives an answer's body. It is called last.
func raw(w http.ResponseWriter, body jsval.Value) { w.(rawBody).WriteRawJSBody(body.Raw()) }

// retryAfter sets the time that a client must wait, in whole seconds.
func retryAfter(w http.ResponseWriter, wait time.Duration) {
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	}
}

// object prints strings, which cannot fail.
func object(members map[string]string) []byte {
	text, err := json.Marshal(members)
	if err != nil {
		return []byte("{}")
	}
	return append(text, '\n')
}
