package daemon

// refusal is the error of a method that komodod answers with a result: status 200
// and {"result":"error","error":"…"}. Its token methods do so with all that is not
// wrong with the request as such.
type refusal string

func (r refusal) Error() string { return string(r) }

type refusedResult struct {
	Result string `json:"result"`
	Error  string `json:"error"`
}

func (r refusal) result() refusedResult { return refusedResult{"error", string(r)} }
