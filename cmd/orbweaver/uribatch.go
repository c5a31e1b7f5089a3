package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/urinorm"
)

// maxBatchLine is the maximum length of an input line, in bytes. A longer line is
// answered with an error.
const maxBatchLine = 64 << 20

type uriRequest struct {
	Op         string  `json:"op"`      // parse, resolve, normalize, key or compare
	Profile    string  `json:"profile"` // rfc (the default) or web
	Input      *string `json:"input"`
	Base       *string `json:"base"`
	Other      *string `json:"other"`      // the second URI of compare
	Charset    string  `json:"charset"`    // web profile
	Compatible bool    `json:"compatible"` // rfc profile, as --compatible
}

// uriAnswer is a line of output. It has either an error or results.
type uriAnswer struct {
	Output  *string    `json:"output,omitempty"`
	Parts   *uriParts  `json:"parts,omitempty"`   // of parse
	Repairs *[]string  `json:"repairs,omitempty"` // codes of repairs: of parse, resolve and normalize
	Rung    string     `json:"rung,omitempty"`    // of compare
	Section string     `json:"section,omitempty"` // of compare, if the URIs are equivalent
	Steps   *[]uriStep `json:"steps,omitempty"`   // of normalize with --explain, rfc profile
	Error   string     `json:"error,omitempty"`
}

// uriParts are the components of RFC 3986 section 3; null for undefined components.
type uriParts struct {
	Scheme    *string `json:"scheme"`
	Authority *string `json:"authority"`
	Userinfo  *string `json:"userinfo"`
	Host      *string `json:"host"`
	Port      *string `json:"port"`
	Path      string  `json:"path"`
	Query     *string `json:"query"`
	Fragment  *string `json:"fragment"`
}

type uriStep struct {
	Section string `json:"section"`
	What    string `json:"what"`
	Result  string `json:"result"`
}

func newURIBatchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "the same operations for programs, as JSON lines",
		Long: `Reads one JSON object per line from standard input and answers each with one, in order:
  {"op": "parse|resolve|normalize|key|compare", "profile": "rfc|web",
   "input": "…", "base": "…", "other": "…", "charset": "…"}
gives {"output": "…"}, or {"error": "…"} if the request is not valid. Answers to parse also have "parts", answers to
operations that may repair a URI "repairs", and answers to compare "rung".`,
		Example: `echo '{"op":"resolve","input":"../g","base":"http://a/b/c"}' | orbweaver uri batch`,
	}
	explain := cmd.Flags().Bool("explain", false, "give the steps of normalize with their sections (rfc profile)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError("uri batch: it reads standard input and takes no arguments")
		}
		if err := uriBatch(cmd.InOrStdin(), cmd.OutOrStdout(), *explain); err != nil {
			return unsound(fmt.Errorf("uri batch: %w", err))
		}
		return nil
	}
	return cmd
}

// uriBatch answers each line of in with a line on out. It flushes the output if no more
// input is buffered, so that a program can send a request and wait for the answer.
func uriBatch(in io.Reader, out io.Writer, explain bool) error {
	r := bufio.NewReaderSize(in, 64<<10)
	w := bufio.NewWriterSize(out, 64<<10)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	var line []byte
	for {
		var tooLong bool
		var err error
		line, tooLong, err = readBatchLine(r, line[:0])
		if err != nil && err != io.EOF {
			return errors.Join(err, w.Flush())
		}
		if tooLong || len(bytes.TrimSpace(line)) > 0 {
			answer := uriAnswer{Error: fmt.Sprintf("the line is longer than %d bytes", maxBatchLine)}
			if !tooLong {
				answer = answerLine(line, explain)
			}
			if err := encoder.Encode(answer); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return w.Flush()
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

// readBatchLine appends the next line to dst. If the line is too long, it returns no
// text.
func readBatchLine(r *bufio.Reader, dst []byte) (line []byte, tooLong bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(dst)+len(piece) > maxBatchLine; tooLong {
			dst = nil
		} else {
			dst = append(dst, piece...)
		}
		if err != bufio.ErrBufferFull {
			return dst, tooLong, err
		}
	}
}

func answerLine(line []byte, explain bool) uriAnswer {
	var q uriRequest
	if err := json.Unmarshal(line, &q); err != nil {
		return uriAnswer{Error: expectedRequest(err)}
	}
	if q.Profile == "" {
		q.Profile = profileRFC
	}
	answer, err := q.answer(explain)
	if err != nil {
		return uriAnswer{Error: err.Error()}
	}
	return answer
}

// expectedRequest says what a line should have been that is not a request.
func expectedRequest(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		kind := "a string"
		if wrong.Field == "compatible" {
			kind = "true or false"
		}
		return fmt.Sprintf("%s: expected %s, not a JSON %s", wrong.Field, kind, wrong.Value)
	} else if ok {
		return "expected a JSON object with op and input, not a JSON " + wrong.Value
	}
	return fmt.Sprintf("expected a JSON object with op and input: %v", err)
}

func (q *uriRequest) answer(explain bool) (uriAnswer, error) {
	switch {
	case q.Profile != profileRFC && q.Profile != profileWeb:
		return uriAnswer{}, fmt.Errorf("unknown profile %q: use rfc or web", q.Profile)
	case q.Op == "":
		return uriAnswer{}, errors.New("op is missing: use parse, resolve, normalize, key or compare")
	case q.Input == nil:
		return uriAnswer{}, errors.New("input is missing: the URI to work on")
	}
	if q.Base != nil && *q.Base == "" {
		q.Base = nil // an empty base means no base
	}
	task := uriTask{profile: q.Profile, base: q.Base, charset: q.Charset, compatible: q.Compatible}
	switch q.Op {
	case "parse", "resolve", "normalize":
		if q.Profile == profileWeb {
			return task.answerWeb(*q.Input, q.Op)
		}
		return task.answerRFC(*q.Input, q.Op, explain)
	case "key":
		key, err := task.key(*q.Input)
		return uriAnswer{Output: &key}, err
	case "compare":
		if q.Other == nil {
			return uriAnswer{}, errors.New("other is missing: the second URI of compare")
		}
		rung, err := task.compare(*q.Input, *q.Other)
		output := comparison(rung)
		return uriAnswer{Output: &output, Rung: rung.String(), Section: rung.Section()}, err
	}
	return uriAnswer{}, fmt.Errorf("unknown op %q: use parse, resolve, normalize, key or compare", q.Op)
}

func (t uriTask) answerWeb(input, op string) (uriAnswer, error) {
	u, repairs, err := t.web(input)
	if err != nil {
		return uriAnswer{}, err
	}
	href, codes := u.String(), append([]string{}, repairs.Codes()...)
	answer := uriAnswer{Output: &href, Repairs: &codes}
	if op == "parse" {
		answer.Parts = webParts(u)
	}
	return answer, nil
}

func (t uriTask) answerRFC(input, op string, explain bool) (answer uriAnswer, err error) {
	var output string
	switch op {
	case "resolve":
		output, err = t.resolve(input)
	case "normalize":
		if output, err = t.normalize(input); err == nil && explain {
			answer.Steps, err = t.steps(input)
		}
	default:
		if output, err = t.target(input); err == nil {
			answer.Parts = rfcParts(urinorm.Split(output))
			answer.Repairs = &[]string{} // this profile repairs nothing
		}
	}
	answer.Output = &output
	return answer, err
}

func (t uriTask) steps(input string) (*[]uriStep, error) {
	target, err := t.target(input)
	if err != nil {
		return nil, err
	}
	steps, err := urinorm.ExplainNormalize(target)
	list := make([]uriStep, 0, len(steps))
	for _, s := range steps {
		list = append(list, uriStep(s))
	}
	return &list, err
}

func rfcParts(r urinorm.Reference) *uriParts {
	part := func(c urinorm.Component) *string { return optional(c.Value, c.Defined) }
	return &uriParts{
		Scheme: part(r.Scheme), Authority: part(r.Authority()), Userinfo: part(r.Userinfo), Host: part(r.Host),
		Port: part(r.Port), Path: r.Path, Query: part(r.Query), Fragment: part(r.Fragment),
	}
}

// webParts splits a URL like [rfcParts]. The default port of the scheme is not part of a
// URL, so it is undefined.
func webParts(u urinorm.URL) *uriParts {
	href, at := u.String(), u.Offsets()
	query, hasQuery := u.Query()
	fragment, hasFragment := u.Fragment()
	parts := &uriParts{
		Scheme: optional(u.Scheme(), true), Path: u.Path(),
		Query: optional(query, hasQuery), Fragment: optional(fragment, hasFragment),
	}
	if at.HasAuthority {
		parts.Authority = optional(href[at.UserStart:at.PathStart], true)
		parts.Host = optional(u.Host(), true)
		if at.HostStart > at.UserStart {
			parts.Userinfo = optional(href[at.UserStart:at.HostStart-1], true)
		}
		parts.Port = optional(u.Port(), u.Port() != "")
	}
	return parts
}

// optional returns a pointer to a value, or nil if there is none.
func optional(value string, there bool) *string {
	if !there {
		return nil
	}
	return &value
}
