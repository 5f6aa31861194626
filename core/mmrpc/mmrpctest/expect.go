package mmrpctest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"obverse/core/rpc"
)

// wrong describes the first difference between an answer and the vector, or returns "".
func (s Sequence) wrong(n Node, v Vector, a Answer) string {
	if want := cmp.Or(v.Status, 200); a.Status != want {
		return fmt.Sprintf("the status is %d, not %d", a.Status, want)
	}
	if said := a.RetryAfter > 0; said != v.RetryAfter {
		return fmt.Sprintf("Retry-After is %d", a.RetryAfter)
	}
	if !bytes.HasSuffix(a.Body, []byte("\n")) {
		return "the answer has no newline at its end"
	}
	if err := rpc.CheckText(a.Body); err != nil {
		return err.Error()
	}
	body := bytes.TrimSpace(a.Body)
	if v.Items == nil {
		return s.wrongAnswer(n, v.Expect, v.ID, body)
	}
	if rpc.KindOf(body) != rpc.KindArray {
		return "the answer is no array"
	}
	items := slices.Collect(rpc.Items(body))
	if len(items) != len(v.Items) {
		return fmt.Sprintf("%d answers, not %d", len(items), len(v.Items))
	}
	for i, item := range items {
		if wrong := s.wrongAnswer(n, v.Items[i], v.Items[i].ID, item); wrong != "" {
			return fmt.Sprintf("answer %d: %s", i, wrong)
		}
	}
	return ""
}

// wrongAnswer compares a single answer.
func (s Sequence) wrongAnswer(n Node, want Expect, id, body json.RawMessage) string {
	if want.Form == "flat" {
		return mismatch("the answer", want.Result, body)
	}
	if rpc.KindOf(body) != rpc.KindObject {
		return "the answer is no object"
	}
	if wrong := want.wrongMembers(n, body); wrong != "" {
		return wrong
	}
	names, _ := membersOf(body)
	form := want.form()
	keys, known := s.states.Keys[form]
	if !known {
		return "there is no form " + form
	}
	if !slices.Equal(keys, names) {
		return fmt.Sprintf("the members are %v, not %v", names, keys)
	}
	for name, value := range rpc.Members(body) {
		switch name {
		case "mmrpc":
			if string(value) != `"2.0"` {
				return "mmrpc is " + string(value)
			}
		case "id":
			if string(value) != cmp.Or(string(id), "null") {
				return "the id is " + string(value)
			}
		case "error_path":
			if wrong := wrongPath(value, memberOf(body, "error_trace")); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// form returns the members that the answer must have.
func (want Expect) form() string {
	switch {
	case want.Form != "":
		return want.Form
	case want.Type == "":
		return "result"
	case want.Data == nil:
		return "error"
	}
	return "error with data"
}

func (want Expect) wrongMembers(n Node, body json.RawMessage) string {
	if want.Type != "" {
		if kind, _ := rpc.Unquote(memberOf(body, "error_type")); kind != want.Type {
			return fmt.Sprintf("the kind is %q, not %q", kind, want.Type)
		}
	}
	if want.Result != nil {
		if wrong := mismatch("result", filled(n, want.Result), memberOf(body, "result")); wrong != "" {
			return wrong
		}
	}
	if want.Data != nil {
		if wrong := mismatch("error_data", filled(n, want.Data), memberOf(body, "error_data")); wrong != "" {
			return wrong
		}
	}
	if want.Extra != nil {
		for name, value := range rpc.Members(want.Extra) {
			if wrong := mismatch(name, value, memberOf(body, name)); wrong != "" {
				return wrong
			}
		}
	}
	if want.Text == "" {
		return ""
	}
	text, _ := rpc.Unquote(memberOf(body, "error")) // text is "" if there is no error text
	beginning := n.Fill(want.Text)
	pattern, is := strings.CutPrefix(beginning, "~")
	if is && !regexp.MustCompile(pattern).MatchString(text) || !is && !strings.HasPrefix(text, beginning) {
		return fmt.Sprintf("the text is %q, not %q", text, beginning)
	}
	return ""
}

func filled(n Node, raw json.RawMessage) json.RawMessage { return json.RawMessage(n.Fill(string(raw))) }

// places matches an error_trace.
var places = regexp.MustCompile(`^[a-z0-9_]+:[0-9]+\]( [a-z0-9_]+:[0-9]+\])*$`)

// wrongPath compares error_path with error_trace, from which it is derived.
func wrongPath(rawPath, rawTrace json.RawMessage) string {
	path, _ := rpc.Unquote(rawPath)
	trace, _ := rpc.Unquote(rawTrace) // both texts are valid JSON; other values do not match the pattern
	if !places.MatchString(trace) {
		return fmt.Sprintf("the error_trace is %q", trace)
	}
	var names []string
	for place := range strings.FieldsSeq(trace) {
		name, _, _ := strings.Cut(place, ":")
		names = append(names, name)
	}
	if want := strings.Join(slices.Compact(names), "."); path != want {
		return fmt.Sprintf("the error_path is %q, not %q", path, want)
	}
	return ""
}

// mismatch describes the first difference between a value and the one expected by a vector, or
// returns "".
func mismatch(at string, want, got json.RawMessage) string {
	if rpc.KindOf(want) == rpc.KindString {
		if text, err := rpc.Unquote(want); err == nil {
			if pattern, is := strings.CutPrefix(text, "~"); is {
				return unlike(at, pattern, got)
			}
		}
	}
	if rpc.KindOf(want) != rpc.KindOf(got) {
		return fmt.Sprintf("%s is %s, not %s", at, got, want)
	}
	switch rpc.KindOf(want) {
	case rpc.KindArray:
		wantItems, gotItems := slices.Collect(rpc.Items(want)), slices.Collect(rpc.Items(got))
		if len(wantItems) != len(gotItems) {
			return fmt.Sprintf("%s is %s, not %s", at, got, want)
		}
		for i := range wantItems {
			if wrong := mismatch(fmt.Sprintf("%s[%d]", at, i), wantItems[i], gotItems[i]); wrong != "" {
				return wrong
			}
		}
		return ""
	case rpc.KindObject:
		wantNames, wantValues := membersOf(want)
		gotNames, gotValues := membersOf(got)
		if !slices.Equal(wantNames, gotNames) {
			return fmt.Sprintf("%s has the members %v, not %v", at, gotNames, wantNames)
		}
		for i := range wantValues {
			if wrong := mismatch(at+"."+wantNames[i], wantValues[i], gotValues[i]); wrong != "" {
				return wrong
			}
		}
		return ""
	case rpc.KindString:
		wantText, _ := rpc.Unquote(want)
		gotText, _ := rpc.Unquote(got)
		if wantText == gotText {
			return ""
		}
	default:
		if bytes.Equal(bytes.TrimSpace(want), bytes.TrimSpace(got)) {
			return ""
		}
	}
	return fmt.Sprintf("%s is %s, not %s", at, got, want)
}

func unlike(at, pattern string, got json.RawMessage) string {
	text := string(got)
	if rpc.KindOf(got) == rpc.KindString {
		text, _ = rpc.Unquote(got)
	}
	if regexp.MustCompile(pattern).MatchString(text) {
		return ""
	}
	return fmt.Sprintf("%s is %.1000s, which does not match %s", at, got, pattern)
}
