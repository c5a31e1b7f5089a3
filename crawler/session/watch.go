package session

import (
	"slices"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits of what a Watch remembers.
const (
	// enoughSources is the number of addresses that lead to one sign-in page by which a
	// loss is told if the start page is public.
	enoughSources = 5
	maxLandings   = 1000
)

// A Watch notices that the session of a site was lost. It sends nothing: the crawl tells it
// what is asked and what was answered, and it tells the crawl what to do. It is safe for
// concurrent use.
//
// A request belongs to an epoch, which ends when the session is proven. After a loss, the
// requests of the epoch are sent again, because their answers may be those for everybody.
type Watch struct {
	mu       sync.Mutex
	page     SignInPage
	public   bool
	epoch    uint32
	asked    string // the last address that was asked
	answered bool   // a page of the site has answered
	landings map[string]*landing
	suspect  string // the last address that was asked before the first suspicion of the epoch
	doubted  bool   // there is a suspicion in the epoch
	blamed   string // the suspect of the last loss
	renewals int    // sign-ins since an answer that was not suspicious
}

// landing is an address that others lead to.
type landing struct {
	signIn  bool
	sources []string // different ones, at most enoughSources
}

// NewWatch returns a watch for the sign-in page of a login. If that is zero, every sign-in
// page counts, as with cookies from a file. Public says that the start page shows nothing
// of a loss (Proof.Public, Unknown).
func NewWatch(page SignInPage, public bool) *Watch {
	return &Watch{page: page, public: public, landings: map[string]*landing{}}
}

// Ticket is a request that a Watch knows.
type Ticket struct {
	Epoch  uint32
	url    urinorm.URL
	before string // the address that was asked before it
}

// Asked notes a request for an internal address, before it is sent.
func (w *Watch) Asked(u urinorm.URL) Ticket {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := Ticket{Epoch: w.epoch, url: u, before: w.asked}
	w.asked = u.WithoutFragment().String()
	return t
}

// Answer is what a Watch needs to know of an answer.
type Answer struct {
	Status int
	Next   urinorm.URL // where a redirect leads; zero for none
	// Page is the page if it has a password field (extract.Document.LoginForm), else nil.
	Page *Page
	// SignedIn is true if the page names an address of Session.LeaveAlone, which only those
	// who are signed in see.
	SignedIn bool
}

// Finding is what a Watch makes of an answer.
type Finding uint8

const (
	// Settled means that the answer counts.
	Settled Finding = iota
	// Suspicious means that the answer counts only if the session was not lost: ask for
	// its Standing, then call Held or Lost.
	Suspicious
	// LostNow means that the session was lost: call Lost.
	LostNow
)

// Answered judges an answer.
func (w *Watch) Answered(t Ticket, a Answer) Finding {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.signInAt(t, a)
	switch {
	case at == nil:
		if a.Status >= 200 && a.Status <= 299 {
			w.answered, w.renewals = true, 0
			if a.SignedIn && !w.doubted && t.Epoch == w.epoch {
				w.epoch++
			}
		}
		return Settled
	case !w.answered && w.page.IsZero():
		return Settled // nothing shows that there was a session
	case t.Epoch != w.epoch:
		return Suspicious // it was asked before the last proof: it is asked again
	}
	if !w.doubted {
		w.doubted, w.suspect = true, t.before
	}
	switch {
	case !w.public:
		return Suspicious
	case len(at.sources) >= enoughSources:
		return LostNow
	}
	return Settled
}

// signInAt returns the sign-in page that an answer leads to, or nil.
func (w *Watch) signInAt(t Ticket, a Answer) *landing {
	own := addressOf(t.url)
	switch {
	case !a.Next.IsZero():
		to := addressOf(a.Next)
		if to == own || w.isSignIn(t.url) {
			return nil
		}
		l := w.landing(to)
		if l == nil {
			return nil
		}
		l.add(own)
		if l.signIn || w.isSignIn(a.Next) {
			return l
		}
	case a.Status == 401:
		if l := w.landing("401"); l != nil && w.answered {
			l.add(own)
			return l
		}
	case a.Page != nil && w.page.IsZero() && a.Page.IsSignInPage(), a.Page != nil && w.page.Is(a.Page):
		if w.isSignIn(t.url) {
			return nil // a link to the sign-in page
		}
		if l := w.landings[own]; l != nil { // others were redirected here
			l.signIn = true
			return l
		}
		to, _ := a.Page.SignInForm().action()
		if l := w.landing("form for " + addressOf(to)); l != nil {
			l.add(own)
			return l
		}
	}
	return nil
}

// isSignIn reports whether a URL is that of a sign-in page.
func (w *Watch) isSignIn(u urinorm.URL) bool {
	if w.page.IsZero() {
		return check.IsLoginURL(u)
	}
	return w.page.IsAddress(u)
}

// landing returns what is known of an address, or nil if there are too many.
func (w *Watch) landing(address string) *landing {
	l := w.landings[address]
	if l == nil && len(w.landings) < maxLandings {
		l = &landing{}
		w.landings[strings.Clone(address)] = l
	}
	return l
}

func (l *landing) add(source string) {
	if len(l.sources) < enoughSources && !slices.Contains(l.sources, source) {
		l.sources = append(l.sources, source)
	}
}

// Epoch returns the current epoch. The requests of this epoch are sent again after a loss.
func (w *Watch) Epoch() uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.epoch
}

// Held notes that the session holds: suspicious answers count as they are, and what was
// asked before is settled.
func (w *Watch) Held() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.epoch++
	w.doubted, w.blamed = false, ""
}

// Lost notes that the session was lost. It returns the address that ended it, which must
// not be asked again: the one that was asked last before two losses in a row, or "".
func (w *Watch) Lost() (endedBy string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.suspect != "" && w.suspect == w.blamed {
		endedBy = w.blamed
	}
	w.blamed, w.suspect, w.doubted = w.suspect, "", false
	return endedBy
}

// MayRenew reports whether to sign in again, after fewer than limit sign-ins in a row, and
// counts that sign-in. The row ends with an answer that is not suspicious.
func (w *Watch) MayRenew(limit int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.renewals >= limit {
		return false
	}
	w.renewals++
	return true
}

// Renewed notes a sign-in: a new epoch begins.
func (w *Watch) Renewed(page SignInPage, public bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.page, w.public = page, public
	w.epoch++
	w.landings = map[string]*landing{}
}
