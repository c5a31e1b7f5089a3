package session

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Proof tells what shows that somebody is signed in.
type Proof struct {
	Proven bool
	// Page is the page that was asked.
	Page urinorm.URL
	// Public is true if the start pages are open to everybody, and show members no link for
	// signing out, so that asking them does not show a loss.
	Public bool
}

// Doubt says why a login is not proven, and what would prove it.
func (p *Proof) Doubt() string {
	return "the form was accepted, but " + p.Page.Printed() + " looks the same with and without the session; name a page for members with --login-check"
}

// proofPage is a page that shows whether somebody is signed in: it is not open to everybody,
// or only members see a link for signing out there. The zero value is no page.
type proofPage struct {
	url urinorm.URL
	// How it answers those who are not signed in. Reached is "" if it answers members with
	// the same status and address.
	status  int
	reached string
	// wayOut is true for an open page on which members see a link for signing out.
	wayOut bool
}

// answersSo reports whether an answer of the page is that for everybody. The page is nil if
// the request ended at a host that is not asked.
func (c proofPage) answersSo(p *Page, reached urinorm.URL) bool {
	return c.reached != "" && c.reached == addressOf(reached) && c.status == statusOf(p)
}

// proofPages remembers what is known of the start pages. It is safe for concurrent use.
type proofPages struct {
	mu      sync.Mutex
	used    proofPage       // found by the last comparison
	waysOut map[string]bool // start pages with a link for signing out, as the crawl has read them
}

// use makes a page the one that is asked for later proofs.
func (p *proofPages) use(page proofPage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = page
}

// page returns the page that is asked for proofs.
func (p *proofPages) page() proofPage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// noteWayOut remembers a start page with a link for signing out.
func (p *proofPages) noteWayOut(u urinorm.URL) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waysOut == nil {
		p.waysOut = map[string]bool{}
	}
	p.waysOut[u.String()] = true
}

// hadWayOut reports whether noteWayOut was called for a page.
func (p *proofPages) hadWayOut(u urinorm.URL) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waysOut[u.String()]
}

// statusOf returns the status of a page, 0 for nil.
func statusOf(p *Page) int {
	if p == nil {
		return 0
	}
	return p.Status
}

// maxStartPages is the number of start pages that are compared.
const maxStartPages = 3

// comparedPages returns the start pages that are compared.
func (l *Login) comparedPages() []urinorm.URL {
	return l.startPages[:min(len(l.startPages), maxStartPages)]
}

// prove asks the check page, or compares start pages with and without the session. Landed
// is the page that the sign-in led to.
func (s *Session) prove(ctx context.Context, landed *Page) (*Proof, error) {
	s.noteLeaveAlone(landed)
	if !s.login.Check.IsZero() {
		p, _, err := s.get(ctx, &fetch.Request{URL: s.login.Check})
		if err != nil {
			return nil, err
		}
		if problem := s.checkProblem(p); problem != "" {
			return nil, failed("the check page %s %s", s.login.Check.Printed(), problem)
		}
		return &Proof{Proven: true, Page: s.login.Check}, nil
	}
	pages := s.login.comparedPages()
	if len(pages) == 0 {
		pages = []urinorm.URL{landed.URL}
	}
	proof := &Proof{Page: pages[0], Public: true}
	var wayOut proofPage // is used if no page is closed
	var refusal *Failure // of a page that may be for another role
	for _, u := range pages {
		in, reached, err := s.get(ctx, &fetch.Request{URL: u})
		if s.leadsToSignIn(in, reached) {
			refusal = failed("%s leads to the sign-in page although the form was accepted", u.Printed())
			continue
		}
		if err != nil {
			return nil, err
		}
		proven, page, err := s.compare(ctx, u, in)
		if err != nil {
			return nil, err
		}
		if proven && !proof.Proven {
			proof.Proven, proof.Page = true, u
		}
		switch {
		case page.wayOut && wayOut.url.IsZero():
			wayOut = page
		case !page.url.IsZero() && !page.wayOut:
			s.proofs.use(page)
			return &Proof{Proven: true, Page: u}, nil
		}
	}
	if !wayOut.url.IsZero() {
		s.proofs.use(wayOut)
		return &Proof{Proven: true, Page: wayOut.url}, nil
	}
	if refusal != nil && !proof.Proven {
		return nil, refusal
	}
	if earlier := s.proofs.page(); !earlier.url.IsZero() { // it proved an earlier sign-in
		return nil, failed("the form was accepted, but %s looks the same with and without the session", earlier.url.Printed())
	}
	return proof, nil
}

// checkProblem says why a check page does not prove a login, or "".
func (s *Session) checkProblem(p *Page) string {
	switch {
	case s.leadsToSignIn(p, p.URL):
		return "leads to the sign-in page"
	case !p.isOK():
		return "answered " + strconv.Itoa(p.Status)
	case !strings.Contains(p.source, s.login.CheckText):
		return "does not contain the text of --login-check"
	}
	return ""
}

// compare asks a page without the session. It reports whether that shows a difference, and
// returns the page if later answers of it prove the session as well.
func (s *Session) compare(ctx context.Context, u urinorm.URL, in *Page) (proven bool, page proofPage, err error) {
	out, reached, err := s.get(ctx, &fetch.Request{URL: u, Anonymous: true})
	if _, elsewhere := errors.AsType[*Failure](err); err != nil && !elsewhere {
		return false, proofPage{}, err
	}
	page.url = u
	differs := statusOf(out) != in.Status || addressOf(reached) != addressOf(in.URL)
	switch {
	case err != nil || s.leadsToSignIn(out, reached): // it is closed
	case isTroubled(in) || isTroubled(out):
		return false, proofPage{}, nil
	case differs:
		if !in.isOK() || out.isOK() && addressOf(reached) == addressOf(u) { // a page that answers everybody at its own address is open
			return true, proofPage{}, nil
		}
	case s.actions.some(in) && !s.actions.some(out):
		page.wayOut = true
		return true, page, nil
	default:
		return (in.SignInForm() == nil) != (out.SignInForm() == nil) || out.linksTo(s.Page()) && !in.linksTo(s.Page()) ||
			in.names(s.login.User) && !out.names(s.login.User), proofPage{}, nil
	}
	if differs {
		page.status, page.reached = statusOf(out), addressOf(reached)
	}
	if out != nil && out.SignInForm() != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.page = s.page.withAddress(u, reached)
	}
	return true, page, nil
}

// linksTo reports whether a page has a link to the sign-in page.
func (p *Page) linksTo(known SignInPage) bool {
	if p.base == nil {
		return false
	}
	doc := extract.Extract(extract.Input{Body: []byte(p.source), ContentType: "text/html; charset=utf-8"})
	return slices.ContainsFunc(doc.Links, func(l extract.Link) bool {
		u, _, err := p.base.Resolve(l.Ref)
		return err == nil && known.IsAddress(u)
	})
}

// names reports whether the text of a page has the name of a user as a word, unless that is very
// short.
func (p *Page) names(user string) bool {
	const short = 2 // bytes
	if p.doc == nil || len(user) <= short {
		return false
	}
	word, err := regexp.Compile(`(^|[^\pL\pN])` + regexp.QuoteMeta(user) + `([^\pL\pN]|$)`)
	return err == nil && word.MatchString(p.doc.Text())
}

// isTroubled reports whether an answer says more about the server than about the session.
func isTroubled(p *Page) bool { return p.Status >= 500 || p.Status == http.StatusTooManyRequests }

// leadsToSignIn reports whether an answer is the sign-in page. Reached is where the request
// ended; the page is nil if that was at a host that is not asked.
func (s *Session) leadsToSignIn(p *Page, reached urinorm.URL) bool {
	known := s.Page()
	if p == nil {
		return known.IsAddress(reached) || check.IsLoginURL(reached)
	}
	if s.login.URL.IsZero() {
		return p.IsSignInPage() || p.Status == 401
	}
	return known.Is(p)
}

// Standing is what is known of a session.
type Standing uint8

const (
	// Unknown means that the page that was asked did not answer as usual.
	Unknown Standing = iota
	// Public means that the start page is the same with and without the session.
	Public
	// Holding means that the session is in use.
	Holding
	// Lost means that nobody is signed in any more.
	Lost
)

// Standing asks the check page, or a start page that proved the session before, whether the
// session was lost. The error is that of the context, or a *fetch.Fault.
func (s *Session) Standing(ctx context.Context) (Standing, error) {
	if !s.login.Check.IsZero() {
		standing, _, err := s.standingAt(ctx, proofPage{url: s.login.Check})
		return standing, err
	}
	proof := s.proofs.page()
	if !proof.url.IsZero() {
		standing, _, err := s.standingAt(ctx, proof)
		return standing, err
	}
	if s.CanSignIn() {
		return Public, nil // the sign-in has compared the start pages
	}
	for _, u := range s.login.comparedPages() {
		standing, in, err := s.standingAt(ctx, proofPage{url: u, wayOut: s.proofs.hadWayOut(u)})
		if standing != Holding {
			return standing, err
		}
		_, page, err := s.compare(ctx, u, in)
		switch {
		case err != nil:
			return Unknown, err
		case !page.url.IsZero():
			s.proofs.use(page)
			return Holding, nil
		}
	}
	return Public, nil
}

// WantsStart reports whether NoteStart needs the page of a URL: with the user's cookies, no
// sign-in has compared the start pages.
func (s *Session) WantsStart(u urinorm.URL) bool {
	return !s.CanSignIn() && slices.ContainsFunc(s.login.comparedPages(), func(start urinorm.URL) bool { return start.String() == u.String() })
}

// NoteStart remembers whether a start page, as the crawl has read it, has a link for signing
// out.
func (s *Session) NoteStart(p *Page) {
	if s.actions.some(p) {
		s.proofs.noteWayOut(p.URL)
	}
}

// standingAt asks a page whether the session was lost.
func (s *Session) standingAt(ctx context.Context, at proofPage) (Standing, *Page, error) {
	p, reached, err := s.get(ctx, &fetch.Request{URL: at.url})
	if _, elsewhere := errors.AsType[*Failure](err); err != nil && !elsewhere {
		return Unknown, nil, err
	}
	switch {
	case s.leadsToSignIn(p, reached), at.answersSo(p, reached):
		return Lost, p, nil
	case err != nil || isTroubled(p):
		return Unknown, p, nil
	case !s.login.Check.IsZero() && s.checkProblem(p) != "", at.wayOut && !s.actions.some(p):
		return Lost, p, nil
	}
	return Holding, p, nil
}

// noteLeaveAlone remembers the addresses that the page after the sign-in names as those
// for signing out or deleting.
func (s *Session) noteLeaveAlone(p *Page) {
	actions := s.actions.of(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, address := range actions {
		s.leave[address] = true
	}
}

// actionLinks finds the links for signing out or deleting.
type actionLinks struct {
	acts  func(text []byte) bool // Options.Acts
	login *Login
}

// some reports whether a page has such a link.
func (a actionLinks) some(p *Page) bool { return len(a.of(p)) > 0 }

// of returns the addresses of the links of a page whose text names such an action.
func (a actionLinks) of(p *Page) []string {
	if p.base == nil {
		return nil
	}
	doc := extract.Extract(extract.Input{Body: []byte(p.source), ContentType: "text/html; charset=utf-8", Acts: a.acts})
	var list []string
	for i := range doc.Links {
		l := &doc.Links[i]
		if !l.Acts || strings.HasPrefix(l.Ref, "#") {
			continue
		}
		if u, _, err := p.base.Resolve(l.Ref); err == nil && a.login.Covers(u) {
			list = append(list, u.WithoutFragment().String())
		}
	}
	return list
}
