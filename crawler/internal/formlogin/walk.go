package formlogin

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// walk reads a page, with GET or by sending a form. It follows redirects step by step, to the
// hosts of the login only.
type walk struct {
	session   *Session
	request   *fetch.Request // the current one
	redirects int            // of GET requests in a row
}

// get returns a walk that reads a page. Without the session, it is anonymous.
func (s *Session) get(u urinorm.URL, anonymous bool) walk {
	return walk{session: s, request: &fetch.Request{URL: u, Need: fetch.Content, Internal: true, Anonymous: anonymous}}
}

// submit returns a walk that sends a form.
func (s *Session) submit(f *Form, at stage) (walk, error) {
	filled, names := valuesOf(s, f, at)
	form, err := f.encode(f.entries(filled, s.fieldsFor(f, at)))
	if err != nil {
		return walk{}, fmt.Errorf("encode the form: %w", err)
	}
	to, _ := f.action()
	s.trace("post %s with %s", to.Printed(), strings.Join(names, ", "))
	return walk{session: s, request: &fetch.Request{URL: to, Form: &form, Need: fetch.Content, Referrer: f.page.URL.String(), Internal: true,
		Header: http.Header{"Origin": {originOf(f.page.URL)}}}}, nil
}

// reached returns the URL of the last answer, or where its redirect would have led.
func (w *walk) reached() urinorm.URL { return w.request.URL }

// next reads the answer to the current request. It returns the request that a redirect leads
// to, or the page at the end.
func (w *walk) next(resp *fetch.Response, err error) (ask *fetch.Request, p *Page, _ error) {
	if err != nil {
		return nil, nil, err
	}
	s, from := w.session, w.request.URL
	if !w.request.Anonymous {
		s.cookies.note(from, resp.Header)
	}
	switch {
	case w.request.Form == nil:
		s.trace("get %s: %d", from.Printed(), resp.Status)
	case resp.Status == http.StatusTemporaryRedirect, resp.Status == http.StatusPermanentRedirect:
		resp.Body.Close()
		return nil, nil, resendRefused(from, resp.Status)
	}
	p, to, err := read(from, resp)
	if err != nil || p != nil {
		return nil, p, err
	}
	failure := permits(s.login, from, to)
	if w.request.Form == nil {
		w.redirects++
	}
	w.request = &fetch.Request{URL: to, Need: fetch.Content, Referrer: from.String(), Internal: true, Anonymous: w.request.Anonymous}
	switch {
	case failure != nil:
		return nil, nil, failure
	case w.redirects > maxRedirects:
		return nil, nil, failed("%s: more than %d redirects in a row", to.Printed(), maxRedirects)
	}
	return w.request, nil, nil
}

// resendRefused is the failure of a form whose answer asks to send it once more.
func resendRefused(u urinorm.URL, status int) *session.Failure {
	return refused("%s answered %d, which asks to send the password again: it is not followed", u.Printed(), status)
}

// read reads the answer of a URL: a page, or the target of a redirect.
func read(u urinorm.URL, resp *fetch.Response) (*Page, urinorm.URL, error) {
	defer resp.Body.Close()
	if resp.Status >= 300 && resp.Status <= 399 && resp.Location != "" {
		base, err := urinorm.NewBase(u, "")
		if err != nil {
			return nil, u, err
		}
		next, _, err := base.Resolve(resp.Location)
		if err != nil || next.Scheme() != "http" && next.Scheme() != "https" {
			return nil, u, failed("%s is redirected to an address that is not http or https", u.Printed())
		}
		return nil, next.WithoutFragment(), nil
	}
	body, err := fetch.ReadDocument(resp.Body, maxBody)
	if err != nil {
		return nil, u, fmt.Errorf("read %s: %w", u.Printed(), err)
	}
	p := ReadPage(u, resp.Status, resp.ContentType, body[:min(len(body), maxBody)])
	p.challenge = strings.EqualFold(resp.Header.Get("Cf-Mitigated"), "challenge")
	return p, u, nil
}

// permits reports what keeps a sign-in from going from one URL to another.
func permits(l *session.Login, from, to urinorm.URL) *session.Failure {
	switch {
	case from.Scheme() == "https" && to.Scheme() == "http":
		return challenge("%s leads from https to http, at %s: nothing is sent there", from.Printed(), to.Printed())
	case !l.Covers(to):
		return challenge("%s leads to another %s, %s: if it belongs to the sign-in, list it in hosts of a [[login]]",
			from.Printed(), difference(l.Origins, to), originOf(to))
	}
	return nil
}

// difference names what distinguishes the origin of a URL from all of them: the host, or for a
// host of one the scheme or the port.
func difference(origins []string, to urinorm.URL) string {
	difference := "host"
	for _, origin := range origins {
		own, _, err := urinorm.ParseWeb(origin + "/")
		switch {
		case err != nil || own.Host() != to.Host():
		case own.Scheme() == to.Scheme():
			return "port"
		case own.Port() == to.Port():
			difference = "scheme"
		case difference == "host":
			difference = "scheme and port"
		}
	}
	return difference
}
