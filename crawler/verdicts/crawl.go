package verdicts

import (
	"context"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// Crawl is a crawl to be judged: what it was told to do, where what it saw is kept, and
// what it counted.
type Crawl struct {
	Config *rules.Config // with its defaults
	Scope  *rules.Scope
	Print  *rules.Printer
	Store  frontier.Store
	Sink   rules.Sink
	// Fetch asks the directory that holds a URL, or else the network. It serves to
	// read files once more (Config.ReadAgain) and to ask an archive (Config.Archive).
	Fetch func(context.Context, *fetch.Request) (*fetch.Response, error)

	Seeds   []rules.Seed
	SeedIDs []frontier.ID // of each seed, 0 for one without a URL

	Began   time.Time // the first session of the crawl
	Started time.Time // this session
	// StoppedBy is why the crawl is not complete, "" if it is.
	StoppedBy string

	Pages, Requests int
	Unfollowed      int            // pages whose links were checked but not followed, as they ask
	ScriptStart     bool           // a script makes a start page
	ScriptPages     bool           // scripts make all pages of the directories that were read
	Trapped         map[string]int // pages not read, by the pattern of their endless series
	LocalLimit      string         // how this machine stopped the first request it stopped, "" for none

	// MaxAnchors is how many hashes of anchors are held at once; 0 is MaxAnchors.
	MaxAnchors int
	// Streamed has told some results before the crawl was over; nil for none.
	Streamed *Stream
}

func (c *Crawl) maxAnchors() int {
	if c.MaxAnchors > 0 {
		return c.MaxAnchors
	}
	return MaxAnchors
}

// reported reports whether a pair's result was reported while the run went on.
func (c *Crawl) reported(k pairKey) bool { return c.Streamed != nil && c.Streamed.reported[k] }

// ended reports whether the run was cut short, so that nothing more is to be asked.
func (c *Crawl) ended(ctx context.Context) bool {
	select {
	case <-c.Config.Stop:
		return true
	default:
		return ctx.Err() != nil || c.StoppedBy != "" && !slices.Contains(rules.LeavesOut, c.StoppedBy)
	}
}

// Report judges every reference of a crawl that is over, and gives the sink what it
// wants, in order of the results' URLs. The summary is complete but for its Elapsed.
//
// When ctx ends, an archive is not asked any more; everything else is done all the same.
func Report(ctx context.Context, c *Crawl) (*rules.Summary, error) {
	j := newJoin(context.WithoutCancel(ctx), c)
	for i := range c.Seeds {
		j.sum.Crawled = j.sum.Crawled || c.Seeds[i].Crawl
		if c.Seeds[i].Named && !slices.Contains(j.sum.Targets, c.Seeds[i].Raw) {
			j.sum.Targets = append(j.sum.Targets, c.Seeds[i].Raw)
		}
	}
	archived := func() error { return j.archived(ctx) }
	for _, step := range []func() error{j.load, j.named, j.meetAll, j.alone, j.settleAll, j.started, j.watched, j.gather, j.suggest, archived, j.report, j.notes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return j.sum, nil
}
