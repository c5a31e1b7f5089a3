package verdicts

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Address tells where documents say that their site is, if that is not where they were read.
type Address struct {
	Base     string // of a directory without a base URL; "" for none
	Listed   bool   // only a sitemap says so
	Pages    int    // number of those that say so
	From, To string // of a website by its start page: what it is, and what it is called; "" for none
}

// Crawl is a crawl to be judged: its settings, its store, and its counts.
type Crawl struct {
	Settings
	Judging *scope.Judging
	Scope   *scope.Scope
	Print   *scope.Printer
	Store   frontier.Store
	Sink    result.Sink
	// Door sends the requests for ReadAgain, TextFragments and Archive; it is needed
	// only for them.
	Door *admit.Door
	// Recorder records what the sink is told; nil records nothing.
	Recorder *Recorder
	// Cache remembers the texts of external pages; nil for none.
	Cache *store.Cache

	Seeds   []scope.Seed
	SeedIDs []frontier.ID // of each seed, 0 for one without a URL

	stored.Sums           // what all sessions have counted, and when the first one began
	Started     time.Time // this session
	Ended       gap.Kind  // why the run ended before the crawl was over, None if it is over

	Own        Address
	LocalLimit string // why this machine could not send a request, or ""

	// MaxAnchors is how many hashes of anchors are held in memory; 0 means MaxAnchors.
	MaxAnchors int
}

// Settings are what the configuration of a run says about its results, with its defaults.
type Settings struct {
	Show         result.Show
	ReportsPages bool          // to the sink, with their links
	ReadAgain    bool          // files have not changed during the run
	Anchors      extract.Input // how the names of anchors are read again
	Watched      map[string]bool
	Watch        *[]result.Watched
	Logins       []*session.Login
	MaxRedirects int

	// Of the requests at the end of the run.
	Stop    <-chan struct{}
	MaxTime time.Duration // of the run; 0 for no limit
	Rate    float64       // requests a second to a host; 0 for no limit
	Delay   time.Duration // between two requests to a host
	Retries int
	Backoff time.Duration
	MaxWait time.Duration
}

func (c *Crawl) maxAnchors() int {
	if c.MaxAnchors > 0 {
		return c.MaxAnchors
	}
	return MaxAnchors
}

// exactCase reports whether fragments must have the letter case of the anchors of headings.
func (c *Crawl) exactCase() bool { return !c.Anchors.Options.Anchors.IgnoresCase() }

// suspects reports whether a target that is OK may have a finding because of its URL.
func (c *Crawl) suspects(job *frontier.Job) bool {
	if job.Verbatim {
		return false
	}
	if c.Judging.RequireHTTPS && c.isInsecure(job) {
		return true
	}
	if !c.Judging.HasBrokenHosts() {
		return false
	}
	u, _, err := urinorm.ParseWeb(string(job.URL))
	return err == nil && c.Judging.RuleFor(c.Print.Job(job)).BrokenHost(u.Host())
}

// isInsecure reports whether a target is requested over http.
func (c *Crawl) isInsecure(job *frontier.Job) bool {
	if job.Verbatim || !bytes.HasPrefix(job.URL, []byte("http://")) {
		return false
	}
	u, _, err := urinorm.ParseWeb(string(job.URL))
	return err == nil && c.Scope.Sites.Of(u) == nil
}

// note reports a note to the sink.
func (c *Crawl) note(message string) error {
	c.Recorder.note(message)
	if err := c.Sink.Note(result.Note{Message: message}); err != nil {
		return fmt.Errorf("report a note: %w", err)
	}
	return nil
}

// soundness returns how far the result of the crawl can be relied on.
func (c *Crawl) soundness(sum *result.Summary, noNames bool) result.Soundness {
	gaps := c.Gaps
	if c.OnlyScripts() {
		gaps[gap.Script]++
	}
	if c.Ended != gap.None {
		gaps[c.Ended]++
	}
	switch {
	case gaps.First() != gap.None:
		checked := sum.Checked()
		return leftOut(gaps.First(), checked, checked+sum.ByCode[check.CodeInterrupted]+sum.ByCode[check.CodeLimit])
	case noNames:
		return result.Soundness{State: result.Unsound, Why: "no name could be resolved: the name server may be at fault"}
	}
	return result.SoundnessOf(sum, c.Of[stored.Blank])
}

// leftOut returns the soundness of a run that a gap names and that checked some of the known targets.
func leftOut(g gap.Kind, checked, known int) result.Soundness {
	s := result.Soundness{State: result.Partial, StoppedBy: g.String(), Why: g.Info().Title, Checked: checked, Known: known}
	if p := s.Progress(); p != "" {
		s.Why += ": " + p
	}
	return s
}

// ended reports whether the run was stopped, so that no further request may be sent.
func (c *Crawl) ended(ctx context.Context) bool {
	select {
	case <-c.Stop:
		return true
	default:
		return ctx.Err() != nil || c.Ended != gap.None
	}
}
