package client

import (
	"bytes"
	"encoding/json"
	"strings"

	"obverse/core/text"
)

// RemoteError is an error in the answer of a node.
type RemoteError struct {
	Kind string          // code of the daemon API, or error_type of the node API; "" if the node returned none
	Text string          // for users; may have more than one line
	Hint string          // advice; may be empty
	Body json.RawMessage // as the node wrote it
}

func (e *RemoteError) Error() string {
	text := "error " + e.Kind
	if e.Kind == "" {
		text = "error"
	}
	text += ": " + e.Text
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Kinds of the errors for a method that the node does not have.
const (
	daemonNoMethod = "-32601"
	nodeNoMethod   = "NoSuchMethod"
)

// IsUnknownMethod reports whether the node does not have the method.
func (e *RemoteError) IsUnknownMethod() bool {
	return e.Kind == daemonNoMethod || e.Kind == nodeNoMethod
}

// daemonError decodes {"code":…,"message":…}.
func daemonError(body json.RawMessage) *RemoteError {
	var parts struct {
		Code    json.Number
		Message string
	}
	if json.Unmarshal(body, &parts) != nil || parts.Message == "" {
		return &RemoteError{Text: compact(body), Body: body}
	}
	return &RemoteError{Kind: parts.Code.String(), Text: strings.TrimSpace(parts.Message), Body: body}
}

// refusal decodes an error that a token method returns in the result; it returns nil for
// any other result.
func refusal(result json.RawMessage) *RemoteError {
	var parts struct {
		Result any
		Error  string
		Hint   string
	}
	if json.Unmarshal(result, &parts) != nil || parts.Result != "error" {
		return nil
	}
	return &RemoteError{Text: strings.TrimSpace(parts.Error), Hint: parts.Hint, Body: result}
}

// nodeError decodes an answer with error and error_type.
func nodeError(body json.RawMessage) *RemoteError {
	var parts struct {
		Error string
		Type  string `json:"error_type"`
	}
	if json.Unmarshal(body, &parts) != nil || parts.Error == "" {
		return &RemoteError{Text: compact(body), Body: body}
	}
	return &RemoteError{Kind: parts.Type, Text: strings.TrimSpace(parts.Error), Body: body}
}

// compact returns a JSON text in one line, truncated if it is long.
func compact(raw json.RawMessage) string {
	const maxText = 1000
	var line bytes.Buffer
	if json.Compact(&line, raw) != nil {
		line.Reset()
		line.Write(raw)
	}
	return text.Clip(line.String(), maxText)
}
