package verdicts

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// MaxPageURL is the length of the longest URL of a page that is read, in bytes. RFC 9110 4.1
// recommends that URLs of that length are supported. It ends series of pages whose URLs
// grow.
const MaxPageURL = 8000

// Crawl is a crawl to be judged: its configuration, its store, and its counts.
type Crawl struct {
	Config *rules.Config // with its defaults
	Scope  *rules.Scope
	Print  *rules.Printer
	Store  frontier.Store
	Sink   result.Sink
	// Fetch requests a URL from the directory that contains it, or else from the
	// network. It is used to read files again (Config.ReadAgain).
	Fetch func(context.Context, *fetch.Request) (*fetch.Response, error)
	// RefusesArchive returns the outcome that a rule gives to a request to the archive that
	// must not be sent, or nil. It is needed only with Config.Archive.
	RefusesArchive func(context.Context, urinorm.URL) (*check.Outcome, error)

	Seeds   []rules.Seed
	SeedIDs []frontier.ID // of each seed, 0 for one without a URL

	Began   time.Time // the first session of the crawl
	Started time.Time // this session
	Ended   check.Gap // why the run ended before the crawl was over, NoGap if it is over
	Gaps    result.GapCounts

	Pages, Requests int
	Unfollowed      int            // pages whose links were not followed because of nofollow
	ScriptPages     bool           // scripts render all pages of the directories that were read
	Shells          int            // pages that scripts fill, without the start pages of websites
	Blank           int            // pages without a link and without text, or that a script fills
	OwnBase         string         // where pages of directories without a base URL say that they are published, or ""
	OwnBaseListed   bool           // only a sitemap says so
	OwnBasePages    int            // number of these pages
	Trapped         map[string]int // numbers of pages that were not read, by the pattern of their endless series
	LocalLimit      string         // why this machine could not send a request, or ""

	// MaxAnchors is how many hashes of anchors are held in memory; 0 means MaxAnchors.
	MaxAnchors int
}

func (c *Crawl) maxAnchors() int {
	if c.MaxAnchors > 0 {
		return c.MaxAnchors
	}
	return MaxAnchors
}

// suspects reports whether a target that is OK may have a finding because of its URL.
func (c *Crawl) suspects(job *frontier.Job) bool {
	if job.Verbatim {
		return false
	}
	if c.Config.RequireHTTPS && c.isInsecure(job) {
		return true
	}
	if !c.Config.HasBrokenHosts() {
		return false
	}
	u, _, err := urinorm.ParseWeb(string(job.URL))
	return err == nil && c.Config.RuleFor(c.Print.Job(job)).BrokenHost(u.Host())
}

// isInsecure reports whether a target is requested over http.
func (c *Crawl) isInsecure(job *frontier.Job) bool {
	if job.Verbatim || !bytes.HasPrefix(job.URL, []byte("http://")) {
		return false
	}
	u, _, err := urinorm.ParseWeb(string(job.URL))
	return err == nil && c.Scope.SiteOf(u) == nil
}

// note reports a note to the sink.
func (c *Crawl) note(message string) error {
	if err := c.Sink.Note(result.Note{Message: message}); err != nil {
		return fmt.Errorf("report a note: %w", err)
	}
	return nil
}

// soundness returns how far the result of the crawl can be relied on.
func (c *Crawl) soundness(sum *result.Summary) result.Soundness {
	gaps := c.Gaps
	if c.ScriptPages {
		gaps[check.GapScript]++
	}
	if c.Ended != check.NoGap {
		gaps[c.Ended]++
	}
	return result.SoundnessOf(sum, gaps, c.Blank)
}

// ended reports whether the run was stopped, so that no further request may be sent.
func (c *Crawl) ended(ctx context.Context) bool {
	select {
	case <-c.Config.Stop:
		return true
	default:
		return ctx.Err() != nil || c.Ended != check.NoGap
	}
}
