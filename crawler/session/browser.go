package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Browser opens a page and fills in its forms, as a user does. Each request is passed to send;
// that for a document has the header field Sec-Fetch-Dest. When the page is quiet, fill gets its
// URL and its HTML, in which controls have their number as an attribute, and returns values by
// number, and the button to press, -1 for the first one; no values if there is nothing more to
// fill in. *render.Renderer is one.
type Browser interface {
	SignIn(ctx context.Context, url string, send func(*http.Request) (*http.Response, error),
		fill func(url string, document []byte) (values map[int]string, press int, err error)) error
}

// controlAttribute is the attribute with the number of a control, which has a minus sign before
// it if readers do not see the control. It is that of package render.
const controlAttribute = "data-orbweaver-control"

// browsing is a sign-in by a browser.
type browsing struct {
	session *Session
	ctx     context.Context

	mu      sync.Mutex
	at      urinorm.URL // the document
	status  int         // of the document, or of the answer to the form
	posting []string    // what the request of the form that was filled in contains, in any encoding; nil once it was sent
	secret  bool        // a secret was filled in, which scripts can read: nothing is sent to other hosts any more
	refusal *Failure    // of a request that would have left the hosts of the login
	landed  *Page
}

// fillForms opens the sign-in page and returns the page that comes after its forms, which
// scripts may make and send. The request of a form is the one with what was filled in; it is
// sent once. Other requests than GET are refused.
func (b *browsing) fillForms(ctx context.Context) (*Page, error) {
	s := b.session
	if s.options.Browser == nil {
		return nil, failed("there is no browser")
	}
	sent := stageNone
	err := s.options.Browser.SignIn(ctx, s.login.URL.String(), b.send, func(address string, document []byte) (map[int]string, int, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.refusal != nil {
			return nil, 0, b.refusal
		}
		u, _, err := urinorm.ParseWeb(address)
		if err != nil {
			return nil, 0, err
		}
		p := ReadPage(u.WithoutFragment(), b.status, "text/html; charset=utf-8", document)
		if sent >= stagePassword && b.posting != nil { // a script may ask for the password without sending the name
			return nil, 0, failed("%s: the page sent no form with what was filled in", u.Printed())
		}
		form, next, failure := s.login.choose(p, sent)
		switch {
		case failure != nil:
			return nil, 0, failure
		case form == nil:
			b.landed = p
			return nil, 0, nil
		}
		if next != stageCode {
			s.mu.Lock()
			s.page = s.page.with(s.login.URL, form)
			s.mu.Unlock()
		}
		sent, b.secret = next, b.secret || next >= stagePassword
		values, names := b.fill(form, next)
		s.trace("fill in %s on %s", strings.Join(names, ", "), u.Printed())
		press := -1
		if button := form.button(); button != nil {
			press, _ = strconv.Atoi(button.number)
		}
		return values, press, nil
	})
	switch {
	case err != nil:
		if failure, ok := errors.AsType[*Failure](err); ok {
			return nil, failure
		}
		if b.refusal != nil {
			return nil, b.refusal
		}
		return nil, failed("the browser: %v", err)
	case b.landed == nil:
		return nil, failed("%s: the sign-in did not end", s.login.URL.Printed())
	}
	return b.landed, nil
}

// fill returns the values of a form by the numbers of its controls, and notes how to recognize
// its request.
func (b *browsing) fill(form *Form, at stage) (values map[int]string, names []string) {
	values = map[int]string{}
	write := func(c *control, value string) {
		if n, err := strconv.Atoi(c.number); err == nil {
			values[n] = value
		}
	}
	filled, names := valuesOf(b.session, form, at)
	secret := b.session.login.User
	for c, value := range filled {
		write(c, value)
		if c == form.password() || at == stageCode {
			secret = value
		}
	}
	for _, field := range b.session.fieldsFor(form, at) {
		if c := form.named(field.Name); c != nil {
			write(c, field.Value.Reveal())
		}
	}
	quoted, _ := json.Marshal(secret) // a string always has an encoding
	b.posting = []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(quoted), `"`)}
	return values, names
}

// send sends a request of the browser.
func (b *browsing) send(r *http.Request) (*http.Response, error) {
	u, _, err := urinorm.ParseWeb(r.URL.String())
	if err != nil {
		return nil, err
	}
	document := r.Header.Get("Sec-Fetch-Dest") == "document"
	req := &fetch.Request{URL: u, Need: fetch.Content, Referrer: r.Referer(), Internal: b.session.login.Covers(u), Header: http.Header{}}
	for name, values := range r.Header {
		if name == "Accept" || strings.HasPrefix(name, "X-") {
			req.Header[name] = values
		}
	}
	if document || r.Method != http.MethodGet {
		b.mu.Lock()
		if failure := b.session.login.permits(b.at, u); failure != nil {
			b.refusal = failure
		}
		refusal := b.refusal
		b.mu.Unlock()
		if refusal != nil {
			return nil, refusal
		}
	}
	b.mu.Lock()
	leaves := b.secret && !b.session.login.Covers(u)
	b.mu.Unlock()
	if leaves {
		return nil, errors.New("nothing is sent to other hosts while the page has the password")
	}
	if r.Method == http.MethodGet {
		resp, err := b.session.client.Fetch(b.ctx, req)
		if err != nil {
			return nil, err
		}
		if document {
			b.session.trace("get %s: %d", u.Printed(), resp.Status)
			b.note(u, resp.Status)
		}
		return b.answer(u, resp), nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	isForm := r.Method == http.MethodPost && slices.ContainsFunc(b.posting, func(text string) bool { return text != "" && bytes.Contains(body, []byte(text)) })
	if isForm {
		b.posting = nil
	}
	b.mu.Unlock()
	if !isForm {
		return nil, errors.New("only the form is sent")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		req.Header.Set("Origin", origin)
	}
	b.session.trace("post %s", u.Printed())
	resp, err := b.session.client.Submit(b.ctx, req, fetch.Form{ContentType: r.Header.Get("Content-Type"), Body: body})
	if err != nil {
		return nil, err
	}
	if resp.Status == http.StatusTemporaryRedirect || resp.Status == http.StatusPermanentRedirect {
		resp.Body.Close()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.refusal = refused("%s answered %d, which asks to send the password again: it is not followed", u.Printed(), resp.Status)
		return nil, b.refusal
	}
	b.mu.Lock()
	b.status = resp.Status
	b.mu.Unlock()
	if document {
		b.note(u, resp.Status)
	}
	return b.answer(u, resp), nil
}

// note notes the answer of a document.
func (b *browsing) note(u urinorm.URL, status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at, b.status = u, status
}

// answer returns an answer as the browser gets it, after its cookies were noted.
func (b *browsing) answer(u urinorm.URL, resp *fetch.Response) *http.Response {
	b.session.requests.Add(int64(resp.Requests))
	if b.session.login.Covers(u) {
		b.session.cookies.note(u, resp.Header)
	}
	header := resp.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	var body io.ReadCloser = http.NoBody
	if resp.Body != nil {
		body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxBody), resp.Body}
	}
	return &http.Response{StatusCode: resp.Status, Header: header, Body: body}
}
