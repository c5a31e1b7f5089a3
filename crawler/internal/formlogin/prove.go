package formlogin

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/session"
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
	return p.status
}

// maxStartPages is the number of start pages that are compared.
const maxStartPages = 3

// comparedPages returns the start pages that are compared.
func comparedPages(l *session.Login) []urinorm.URL {
	return l.StartPages[:min(len(l.StartPages), maxStartPages)]
}

// comparing proves a sign-in: it asks the check page, or compares start pages with and without
// the session. Next yields its requests, one after another; the first one is that of walk.
type comparing struct {
	session *Session
	pages   []urinorm.URL // that are left
	walk    walk
	in      *Page // the first of them with the session; nil until it was read
	proof   *Proof
	wayOut  proofPage        // is used if no page is closed
	refusal *session.Failure // of a page that may be for another role
}

// comparing returns the proof of a sign-in that led to a page.
func (s *Session) comparing(landed *Page) *comparing {
	pages := comparedPages(s.login)
	switch {
	case !s.login.Check.IsZero():
		pages = []urinorm.URL{s.login.Check}
	case len(pages) == 0:
		pages = []urinorm.URL{landed.URL}
	}
	return &comparing{session: s, pages: pages, walk: s.get(pages[0], false), proof: &Proof{Page: pages[0], Public: true}}
}

func (c *comparing) next(resp *fetch.Response, err error) (ask *fetch.Request, proof *Proof, _ error) {
	s, u := c.session, c.pages[0]
	ask, p, err := c.walk.next(resp, err)
	switch {
	case ask != nil:
		return ask, nil, nil
	case !s.login.Check.IsZero():
		if err != nil {
			return nil, nil, err
		}
		if problem := s.checkProblem(p); problem != "" {
			return nil, nil, failed("the page of --login-check, %s, %s", u.Printed(), problem)
		}
		return nil, &Proof{Proven: true, Page: u}, nil
	case c.in == nil && s.leadsToSignIn(p, c.walk.reached()):
		c.refusal = failed("%s leads to the sign-in page although the form was accepted; if it is for others, name a page for this account with --login-check", u.Printed())
		return c.another()
	case c.in == nil && err != nil:
		return nil, nil, err
	case c.in == nil:
		c.in, c.walk = p, s.get(u, true)
		return c.walk.request, nil, nil
	}
	proven, page, err := s.compare(u, c.in, answered{p, c.walk.reached(), err})
	if err != nil {
		return nil, nil, err
	}
	if proven && !c.proof.Proven {
		c.proof.Proven, c.proof.Page = true, u
	}
	switch {
	case page.wayOut && c.wayOut.url.IsZero():
		c.wayOut = page
	case !page.url.IsZero() && !page.wayOut:
		s.proofs.use(page)
		return nil, &Proof{Proven: true, Page: u}, nil
	}
	return c.another()
}

// another asks the next page, or concludes.
func (c *comparing) another() (ask *fetch.Request, proof *Proof, _ error) {
	s := c.session
	c.in, c.pages = nil, c.pages[1:]
	if len(c.pages) > 0 {
		c.walk = s.get(c.pages[0], false)
		return c.walk.request, nil, nil
	}
	if !c.wayOut.url.IsZero() {
		s.proofs.use(c.wayOut)
		return nil, &Proof{Proven: true, Page: c.wayOut.url}, nil
	}
	if c.refusal != nil && !c.proof.Proven {
		return nil, nil, c.refusal
	}
	if earlier := s.proofs.page(); !earlier.url.IsZero() { // it proved an earlier sign-in
		return nil, nil, failed("the form was accepted, but %s looks the same with and without the session; name a page for members with --login-check", earlier.url.Printed())
	}
	return nil, c.proof, nil
}

// checkProblem says why a check page does not prove a login, or "".
func (s *Session) checkProblem(p *Page) string {
	switch {
	case s.leadsToSignIn(p, p.URL):
		return "leads to the sign-in page"
	case !p.isOK():
		return "answered " + strconv.Itoa(p.status)
	case !strings.Contains(p.source, s.login.Given.CheckText):
		return "does not contain the text"
	}
	return ""
}

// answered is what a walk led to: a page, or why there is none at the URL that it reached.
type answered struct {
	page    *Page
	reached urinorm.URL
	err     error
}

// isFault reports whether there is no answer. A walk that led to a host that is not asked has one.
func (a answered) isFault() bool {
	_, elsewhere := errors.AsType[*session.Failure](a.err)
	return a.err != nil && !elsewhere
}

// compare compares a page with what everybody gets instead of it. It reports whether that shows
// a difference, and returns the page if later answers of it prove the session as well.
func (s *Session) compare(u urinorm.URL, in *Page, everybody answered) (proven bool, page proofPage, err error) {
	if everybody.isFault() {
		return false, proofPage{}, everybody.err
	}
	out, reached := everybody.page, everybody.reached
	page.url = u
	differs := statusOf(out) != in.status || addressOf(reached) != addressOf(in.URL)
	switch {
	case everybody.err != nil || s.leadsToSignIn(out, reached): // it is closed
	case isTroubled(in) || isTroubled(out):
		return false, proofPage{}, nil
	case differs:
		if !in.isOK() || out.isOK() && addressOf(reached) == addressOf(u) { // a page that answers everybody at its own address is open
			return true, proofPage{}, nil
		}
	case s.namesAction(in) && !s.namesAction(out):
		page.wayOut = true
		return true, page, nil
	default:
		return (in.signInForm() == nil) != (out.signInForm() == nil) || out.linksTo(s.Page()) && !in.linksTo(s.Page()) ||
			in.names(s.login.Given.User) && !out.names(s.login.Given.User), proofPage{}, nil
	}
	if differs {
		page.status, page.reached = statusOf(out), addressOf(reached)
	}
	if out != nil && out.signInForm() != nil {
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
		return err == nil && known.isAddress(u)
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
func isTroubled(p *Page) bool { return p.status >= 500 || p.status == http.StatusTooManyRequests }

// leadsToSignIn reports whether an answer is the sign-in page. Reached is where the request
// ended; the page is nil if that was at a host that is not asked.
func (s *Session) leadsToSignIn(p *Page, reached urinorm.URL) bool {
	known := s.Page()
	if p == nil {
		return known.isAddress(reached) || judging.IsLoginURL(reached)
	}
	if s.login.URL.IsZero() {
		return p.isSignInPage() || p.status == 401
	}
	return known.is(p)
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

// Proving asks the check page, or a start page that proved the session before, whether the
// session was lost. Next yields its requests, one after another.
type Proving struct {
	session *Session
	pages   []proofPage // that are left
	walk    walk
	unknown bool  // no page has proved the session: they are compared with what everybody gets
	in      *Page // the first of them with the session; nil until it was read
}

// Prove begins to ask whether the session was lost, with the first request. Without one, nothing
// can be found out: the standing is Public.
func (s *Session) Prove() (*Proving, *fetch.Request) {
	p := &Proving{session: s}
	proof := s.proofs.page()
	switch {
	case !s.login.Check.IsZero():
		p.pages = []proofPage{{url: s.login.Check}}
	case !proof.url.IsZero():
		p.pages = []proofPage{proof}
	case s.CanSignIn(): // the sign-in has compared the start pages
	default:
		p.unknown = true
		for _, u := range comparedPages(s.login) {
			p.pages = append(p.pages, proofPage{url: u, wayOut: s.proofs.hadWayOut(u)})
		}
	}
	ask, _ := p.another()
	return p, ask
}

// Next reads the answer to the last request, or why there is none, and returns the next
// request. Without one, the standing is known.
func (p *Proving) Next(resp *fetch.Response, err error) (ask *fetch.Request, standing Standing) {
	s, at := p.session, p.pages[0]
	ask, page, err := p.walk.next(resp, err)
	answer := answered{page, p.walk.reached(), err}
	switch {
	case ask != nil:
		return ask, Unknown
	case p.in == nil:
		standing := s.standing(at, answer)
		if standing != Holding || !p.unknown {
			return nil, standing
		}
		p.in, p.walk = page, s.get(at.url, true)
		return p.walk.request, Unknown
	}
	_, found, err := s.compare(at.url, p.in, answer)
	switch {
	case err != nil:
		return nil, Unknown
	case !found.url.IsZero():
		s.proofs.use(found)
		return nil, Holding
	}
	p.in, p.pages = nil, p.pages[1:]
	return p.another()
}

// another asks the next page. Without one, nothing can be found out.
func (p *Proving) another() (ask *fetch.Request, standing Standing) {
	if len(p.pages) == 0 {
		return nil, Public
	}
	p.walk = p.session.get(p.pages[0].url, false)
	return p.walk.request, Unknown
}

// WantsStart reports whether NoteStart needs the page of a URL: with the user's cookies, no
// sign-in has compared the start pages.
func (s *Session) WantsStart(u urinorm.URL) bool {
	return !s.CanSignIn() && slices.ContainsFunc(comparedPages(s.login), func(start urinorm.URL) bool { return start.String() == u.String() })
}

// NoteStart remembers whether a start page, as the crawl has read it, has a link for signing
// out.
func (s *Session) NoteStart(p *Page) {
	if s.namesAction(p) {
		s.proofs.noteWayOut(p.URL)
	}
}

// standing tells from the answer of a page whether the session was lost.
func (s *Session) standing(at proofPage, answer answered) Standing {
	p := answer.page
	switch {
	case answer.isFault():
		return Unknown
	case s.leadsToSignIn(p, answer.reached), at.answersSo(p, answer.reached):
		return Lost
	case answer.err != nil || isTroubled(p):
		return Unknown
	case !s.login.Check.IsZero() && s.checkProblem(p) != "", at.wayOut && !s.namesAction(p):
		return Lost
	}
	return Holding
}

// noteLeaveAlone remembers the addresses that the page after the sign-in names as those
// for signing out or deleting. A link to the page itself does that with a script.
func (s *Session) noteLeaveAlone(p *Page) {
	actions := s.actions(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, address := range actions {
		if address != p.URL.WithoutFragment().String() {
			s.leave[address] = true
		}
	}
}

// namesAction reports whether a page has a link for signing out or deleting.
func (s *Session) namesAction(p *Page) bool { return len(s.actions(p)) > 0 }

// actions returns the addresses of the links of a page whose text names signing out or deleting.
func (s *Session) actions(p *Page) []string {
	if p.base == nil {
		return nil
	}
	doc := extract.Extract(extract.Input{Body: []byte(p.source), ContentType: "text/html; charset=utf-8", Acts: scope.Acts})
	var list []string
	for i := range doc.Links {
		l := &doc.Links[i]
		if !l.Acts || strings.HasPrefix(l.Ref, "#") {
			continue
		}
		if u, _, err := p.base.Resolve(l.Ref); err == nil && s.login.Covers(u) {
			list = append(list, u.WithoutFragment().String())
		}
	}
	return list
}
