package session

import (
	"context"
	"errors"
	"strconv"
	"strings"

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
	// Public is true if the start page leads nobody to the sign-in page, so that asking it
	// does not show a loss.
	Public bool
}

// Doubt says why a login is not proven, and what would prove it.
func (p *Proof) Doubt() string {
	return "the form was accepted, but " + p.Page.Printed() + " looks the same with and without the session; name a page for members with --login-check"
}

// maxStartPages is the number of start pages that are compared.
const maxStartPages = 3

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
	pages := s.login.startPages
	if len(pages) == 0 {
		pages = []urinorm.URL{landed.URL}
	}
	proof := &Proof{Page: pages[0], Public: true}
	for _, u := range pages[:min(len(pages), maxStartPages)] {
		in, reached, err := s.get(ctx, &fetch.Request{URL: u})
		if s.leadsToSignIn(in, reached) {
			return nil, failed("%s leads to the sign-in page although the form was accepted", u.Printed())
		}
		if err != nil {
			return nil, err
		}
		proven, public, err := s.compare(ctx, u, in)
		if err != nil {
			return nil, err
		}
		if !public {
			proof.Public = false
		}
		if proven {
			proof.Proven, proof.Page = true, u
			return proof, nil
		}
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
// whether the page is open to everybody.
func (s *Session) compare(ctx context.Context, u urinorm.URL, in *Page) (proven, public bool, err error) {
	out, reached, err := s.get(ctx, &fetch.Request{URL: u, Anonymous: true})
	if _, elsewhere := errors.AsType[*Failure](err); err != nil && !elsewhere {
		return false, false, err
	}
	if err != nil || s.leadsToSignIn(out, reached) {
		if out != nil && out.SignInForm() != nil {
			s.mu.Lock()
			s.page = s.page.withAddress(u, reached)
			s.mu.Unlock()
		}
		return true, false, nil
	}
	switch {
	case in.Status != out.Status || addressOf(in.URL) != addressOf(out.URL):
		return true, !in.isOK() || out.isOK(), nil
	case (in.SignInForm() == nil) != (out.SignInForm() == nil):
		return true, true, nil
	case s.namesAction(in) && !s.namesAction(out):
		return true, true, nil
	}
	return false, true, nil
}

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

// Standing asks the check page, or a start page, whether the session was lost. The error
// is that of the context, or a *fetch.Fault.
func (s *Session) Standing(ctx context.Context) (Standing, error) {
	u := s.login.Check
	if u.IsZero() {
		if len(s.login.startPages) == 0 {
			return Public, nil
		}
		u = s.login.startPages[0]
	}
	p, reached, err := s.get(ctx, &fetch.Request{URL: u})
	if _, elsewhere := errors.AsType[*Failure](err); err != nil && !elsewhere {
		return Unknown, err
	}
	switch {
	case s.leadsToSignIn(p, reached):
		return Lost, nil
	case err != nil || p.Status >= 500 || p.Status == 429:
		return Unknown, nil
	case !s.login.Check.IsZero():
		if s.checkProblem(p) != "" {
			return Lost, nil
		}
		return Holding, nil
	case s.login.URL.IsZero(): // cookies: whether the page is public was never asked
		_, public, err := s.compare(ctx, u, p)
		switch {
		case err != nil:
			return Unknown, err
		case public:
			return Public, nil
		}
		return Holding, nil
	case s.isPublic():
		return Public, nil
	}
	return Holding, nil
}

func (s *Session) isPublic() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.public
}

// namesAction reports whether a page has a link for signing out or deleting.
func (s *Session) namesAction(p *Page) bool { return len(s.actions(p)) > 0 }

// noteLeaveAlone remembers the addresses that the page after the sign-in names as those
// for signing out or deleting.
func (s *Session) noteLeaveAlone(p *Page) {
	actions := s.actions(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, address := range actions {
		s.leave[address] = true
	}
}

// actions returns the addresses of the links whose text names an action.
func (s *Session) actions(p *Page) []string {
	if p.base == nil {
		return nil
	}
	doc := extract.Extract(extract.Input{Body: []byte(p.source), ContentType: "text/html; charset=utf-8", Acts: s.options.Acts})
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
