// Package thread keeps one issue, or one comment of a pull request, up to date with the report
// of a run in CI: it is opened when something breaks, edited when what is broken changes, and
// closed when all is fixed.
//
//	thread.go   what is written, and when
//	hosts.go    the APIs of GitHub and GitLab, and where in them, by the variables of their CI
//
// It is found again by a marker in its text, in the list that the API gives, most recently
// changed first: one request, unless the list is long. At most one more request changes
// something, and none if the text would be the same. The token is sent to the API alone,
// never after a redirect, and in clear text only to this machine.
package thread

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// Report is what a thread has to say.
type Report struct {
	Title string // of a new issue
	Text  string // in Markdown
	// Broken is set if there is something to report. Otherwise the thread is closed.
	Broken bool
}

// Done is what Update has done.
type Done string

// What Update can do.
const (
	Nothing  Done = "nothing" // there is no thread, and nothing to say, or it says the same already
	Opened   Done = "opened"
	Edited   Done = "edited"
	Reopened Done = "reopened"
	Closed   Done = "closed"
)

// Limits of what is sent and read.
const (
	maxText   = 65_000   // characters of a text; GitHub takes 65,536
	maxTitle  = 200      // characters of a title
	maxPages  = 5        // pages of a list, of 100 entries each
	maxAnswer = 32 << 20 // bytes of an answer
)

// entry is an issue or a comment in a list of an API.
type entry struct {
	ID          int64  `json:"id"`
	Number      int64  `json:"number"` // of an issue, at GitHub
	IID         int64  `json:"iid"`    // of an issue, at GitLab
	State       string `json:"state"`
	Body        string `json:"body"`
	Description string `json:"description"` // of an issue, at GitLab
	User        *struct {
		Type string `json:"type"`
	} `json:"user"`
	AuthorAssociation string    `json:"author_association"`
	PullRequest       *struct{} `json:"pull_request"`
	System            bool      `json:"system"`
}

func (e *entry) text() string { return e.Body + e.Description }

func (e *entry) closed() bool { return e.State == "closed" }

// ours reports whether an entry may be one that this program wrote. Anybody can write the
// marker into an issue or a comment; at GitHub, only those of programs and of people who may
// write to the repository count.
func (e *entry) ours() bool {
	if e.PullRequest != nil || e.System {
		return false
	}
	switch e.AuthorAssociation {
	case "OWNER", "MEMBER", "COLLABORATOR":
		return true
	}
	return e.User == nil || e.User.Type == "Bot"
}

// Update brings the thread up to date.
func (p *Place) Update(ctx context.Context, r Report) (Done, error) {
	have, err := p.find(ctx)
	if err != nil {
		return Nothing, fmt.Errorf("find the %s: %w", p.what, err)
	}
	text := p.text(r)
	switch {
	case have == nil && !r.Broken:
		return Nothing, nil
	case have == nil:
		if err := p.send(ctx, http.MethodPost, p.list, p.fields(r.Title, text, ""), nil); err != nil {
			return Nothing, fmt.Errorf("open the %s: %w", p.what, err)
		}
		return Opened, nil
	case firstLine(have.text()) == firstLine(text) && (!p.closes || have.closed() == !r.Broken):
		return Nothing, nil
	}
	done, state := Edited, ""
	switch {
	case !p.closes && !r.Broken:
		done = Closed // a comment stays, and says so
	case p.closes && have.closed() && r.Broken:
		done, state = Reopened, p.reopen
	case p.closes && !have.closed() && !r.Broken:
		done, state = Closed, p.close
	}
	if err := p.send(ctx, p.edit, p.entry(have), p.fields("", text, state), nil); err != nil {
		return Nothing, fmt.Errorf("edit the %s: %w", p.what, err)
	}
	return done, nil
}

// find returns the entry with the marker, nil if there is none.
func (p *Place) find(ctx context.Context) (*entry, error) {
	for page := 1; page <= maxPages; page++ {
		var list []entry
		if err := p.send(ctx, http.MethodGet, fmt.Sprintf("%s?%s&per_page=100&page=%d", p.list, p.query, page), nil, &list); err != nil {
			return nil, err
		}
		for i := range list {
			if e := &list[i]; strings.HasPrefix(e.text(), p.marker()) && e.ours() {
				return e, nil
			}
		}
		if len(list) < 100 {
			break
		}
	}
	return nil, nil
}

// marker begins the text of the thread. It is a comment, which readers do not see.
func (p *Place) marker() string { return "<!-- orbweaver " + p.key + " " }

var listed = lazy.Regexp(`(?m)^(?:\||### ).*$`)

// text returns the text of the thread. Its first line has the marker, and a sum of what is
// listed: without the times and the counts, which differ from run to run.
func (p *Place) text(r Report) string {
	text := r.Text
	if !r.Broken {
		text = "Nothing is broken any more.\n\n" + text
	}
	if p.run != "" {
		text = strings.TrimRight(text, "\n") + "\n\n[This run](" + p.run + ")\n"
	}
	sum := sha256.Sum256([]byte(fmt.Sprint(r.Broken, listed().FindAllString(r.Text, -1))))
	return cut(fmt.Sprintf("%s%x -->\n%s", p.marker(), sum[:8], text), maxText)
}

// cut shortens a text at the end of a line.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	text = string([]rune(text)[:most-100])
	return text[:strings.LastIndexByte(text, '\n')+1] + "\nThe rest is too long for this text.\n"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(line, "\r")
}

// send sends a request. An answer other than a 2xx is an error.
func (p *Place) send(ctx context.Context, method, path string, fields map[string]string, into any) error {
	var in io.Reader
	if fields != nil {
		text, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		in = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.api+path, in)
	if err != nil {
		return err
	}
	for name, value := range p.header {
		req.Header.Set(name, value)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		return p.refusal(res, text)
	case err != nil:
		return err
	case len(text) > maxAnswer:
		return errors.New("the answer is too large")
	case into == nil:
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the answer to %s %s is not the expected JSON", method, path)
	}
	return nil
}

// refusal returns an error for an answer, with what the API says and what to do.
func (p *Place) refusal(res *http.Response, text []byte) error {
	var said struct {
		Message any `json:"message"`
	}
	_ = json.Unmarshal(text, &said) // the status says enough
	err := fmt.Errorf("%s %s answered %s", res.Request.Method, res.Request.URL.Path, res.Status)
	if m, ok := said.Message.(string); ok && m != "" {
		err = fmt.Errorf("%w: %.200s", err, m)
	}
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		err = fmt.Errorf("%w: %s", err, p.needs)
	}
	return err
}
