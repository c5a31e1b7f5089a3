package formlogin

import (
	"bytes"
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
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// controlAttribute is the attribute with the number of a control, which has a minus sign before
// it if readers do not see the control. It is that of package render.
const controlAttribute = "data-orbweaver-control"

// Browsing is the part of a sign-in in which a browser opens the sign-in page and fills in its
// forms, as a user does. Scripts may make and send the forms. The browser asks Request what is
// sent for each of its requests, and Answer what it gets; when the page is quiet, it asks Fill.
// It is safe for concurrent use.
type Browsing struct {
	signIn *SignIn

	mu      sync.Mutex
	at      urinorm.URL      // the document
	status  int              // of the document, or of the answer to the form
	posting []string         // what the request of the form that was filled in contains, in any encoding; nil once it was sent
	secret  bool             // a secret was filled in, which scripts can read: nothing is sent to other hosts any more
	refusal *session.Failure // of a request that would have left the hosts of the login
	landed  *Page
}

// URL returns the sign-in page.
func (b *Browsing) URL() urinorm.URL { return b.signIn.session.login.URL }

// Fill reads a page that is quiet, in which controls have their number as an attribute. It
// returns values by number, and the button to press, -1 for the first one. Without values, there
// is nothing more to fill in.
func (b *Browsing) Fill(address string, document []byte) (values map[int]string, press int, err error) {
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
	if b.signIn.sent >= stagePassword && b.posting != nil { // a script may ask for the password without sending the name
		return nil, 0, failed("%s: the page sent no form with what was filled in", u.Printed())
	}
	form, failure := b.signIn.choose(p)
	switch {
	case failure != nil:
		return nil, 0, failure
	case form == nil:
		b.landed = p
		return nil, 0, nil
	}
	b.secret = b.secret || b.signIn.sent >= stagePassword
	values, names := b.fill(form, b.signIn.sent)
	b.signIn.session.trace("fill in %s on %s", strings.Join(names, ", "), u.Printed())
	press = -1
	if button := form.button(); button != nil {
		press, _ = strconv.Atoi(button.number)
	}
	return values, press, nil
}

// end returns the page that comes after the forms, or why there is none. The error is that of
// the browser.
func (b *Browsing) end(err error) (*Page, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failure, ok := errors.AsType[*session.Failure](err)
	switch {
	case ok:
		return nil, failure
	case err != nil && b.refusal != nil:
		return nil, b.refusal
	case err != nil:
		return nil, failed("the browser: %v", err)
	case b.landed == nil:
		return nil, failed("%s: the sign-in did not end", b.URL().Printed())
	}
	return b.landed, nil
}

// fill returns the values of a form by the numbers of its controls, and notes how to recognize
// its request.
func (b *Browsing) fill(form *Form, at stage) (values map[int]string, names []string) {
	s := b.signIn.session
	values = map[int]string{}
	write := func(c *control, value string) {
		if n, err := strconv.Atoi(c.number); err == nil {
			values[n] = value
		}
	}
	filled, names := valuesOf(s, form, at)
	secret := s.login.Given.User
	for c, value := range filled {
		write(c, value)
		if c == form.password() || at == stageCode {
			secret = value
		}
	}
	for _, field := range s.fieldsFor(form, at) {
		if c := form.named(field.Name); c != nil {
			write(c, field.Value.Reveal())
		}
	}
	quoted, _ := json.Marshal(secret) // a string always has an encoding
	b.posting = []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.Trim(string(quoted), `"`)}
	return values, names
}

// isDocument reports whether a request of the browser is for a document.
func isDocument(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Dest") == "document" }

// Request returns what is sent for a request of the browser. The request of a form is the one
// with what was filled in; it is sent once. Other requests than GET are refused.
func (b *Browsing) Request(r *http.Request) (*fetch.Request, error) {
	u, _, err := urinorm.ParseWeb(r.URL.String())
	if err != nil {
		return nil, err
	}
	login := b.signIn.session.login
	req := &fetch.Request{URL: u, Need: fetch.Content, Referrer: r.Referer(), Internal: login.Covers(u), Header: http.Header{}}
	for name, values := range r.Header {
		if name == "Accept" || strings.HasPrefix(name, "X-") {
			req.Header[name] = values
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if isDocument(r) || r.Method != http.MethodGet {
		if failure := permits(login, b.at, u); failure != nil {
			b.refusal = failure
		}
		if b.refusal != nil {
			return nil, b.refusal
		}
	}
	if b.secret && !login.Covers(u) {
		return nil, errors.New("nothing is sent to other hosts while the page has the password")
	}
	if r.Method == http.MethodGet {
		return req, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if r.Method != http.MethodPost || !slices.ContainsFunc(b.posting, func(text string) bool { return text != "" && bytes.Contains(body, []byte(text)) }) {
		return nil, errors.New("only the form is sent")
	}
	b.posting = nil
	if origin := r.Header.Get("Origin"); origin != "" {
		req.Header.Set("Origin", origin)
	}
	req.Form = &fetch.Form{ContentType: r.Header.Get("Content-Type"), Body: body}
	b.signIn.session.trace("post %s", u.Printed())
	return req, nil
}

// Answer returns the answer to a request as the browser gets it.
func (b *Browsing) Answer(r *http.Request, req *fetch.Request, resp *fetch.Response) (*http.Response, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.signIn.session
	if req.Form != nil {
		if resp.Status == http.StatusTemporaryRedirect || resp.Status == http.StatusPermanentRedirect {
			resp.Body.Close()
			b.refusal = resendRefused(req.URL, resp.Status)
			return nil, b.refusal
		}
		b.status = resp.Status
	} else if isDocument(r) {
		s.trace("get %s: %d", req.URL.Printed(), resp.Status)
	}
	if isDocument(r) {
		b.at, b.status = req.URL, resp.Status
	}
	if s.login.Covers(req.URL) {
		s.cookies.note(req.URL, resp.Header)
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
	return &http.Response{StatusCode: resp.Status, Header: header, Body: body}, nil
}
