package daemon

import "errors"

// refusal is the error of a method that komodod answers with a result: status 200
// and {"result":"error","error":"…"}. Its token methods do so with all that is not
// wrong with the request as such.
type refusal string

func (r refusal) Error() string { return string(r) }

// hinted is a refusal in komodod's words with what these leave open, for people.
type hinted struct {
	refusal
	hint string
}

func (h hinted) Unwrap() error { return h.refusal }

type refusedResult struct {
	Result string `json:"result"`
	Error  string `json:"error"`
	Hint   string `json:"hint,omitempty"` // ours, for requests that ask for it
}

// refusedBy is the result of a call that failed with a refusal.
func refusedBy(err error, hints bool) (result refusedResult, refused bool) {
	var reason refusal
	if !errors.As(err, &reason) {
		return refusedResult{}, false
	}
	var with hinted
	if hints {
		errors.As(err, &with)
	}
	return refusedResult{"error", string(reason), with.hint}, true
}
