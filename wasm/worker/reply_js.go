package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"syscall/js"
	"time"

	"obverse/wasm/jsval"
)

// rawBody is a method that the library's http.ResponseWriter has in addition to those of
// http.ResponseWriter: it sends a JavaScript value as the body. All responses use it. Data written
// with Write would pass through a pipe. Its end would end the program after the first response,
// since handler_js.go closes the same channel each time, and it panics when a client disconnects,
// since stream.go closes a closed stream.
type rawBody interface{ WriteRawJSBody(body js.Value) }

// send sends a whole response.
func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	raw(w, jsval.ValueOf(body))
}

// raw sends the body of a response. It must be called last.
func raw(w http.ResponseWriter, body jsval.Value) { w.(rawBody).WriteRawJSBody(body.Raw()) }

// retryAfter sets the time that a client must wait, in whole seconds.
func retryAfter(w http.ResponseWriter, wait time.Duration) {
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	}
}

// object formats a JSON object of strings, which cannot fail.
func object(members map[string]string) []byte {
	text, err := json.Marshal(members)
	if err != nil {
		return []byte("{}")
	}
	return append(text, '\n')
}
