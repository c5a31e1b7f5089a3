package verdicts

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// watches returns a function that reports whether the caller waits for the verdicts of a
// target. All pairs of such a target are flagged, even if they are simply ok.
func (c *Crawl) watches() func(*frontier.Job) bool {
	if len(c.Watched) == 0 {
		return func(*frontier.Job) bool { return false }
	}
	documents := map[string]bool{} // the watched URLs without fragments
	for url := range c.Watched {
		document, _, _ := strings.Cut(url, "#")
		documents[document] = true
	}
	return func(job *frontier.Job) bool {
		printed := c.Print.Job(job)
		return documents[printed] || job.Verbatim && c.Watched[printed]
	}
}

// reportWatched reports the verdicts that the caller waits for, and records those that it may wait for
// in a later run: targets that are not OK.
func (j *join) reportWatched() error {
	r := j.crawl.Recorder
	if j.crawl.Watch == nil && r == nil {
		return nil
	}
	for _, p := range j.pairs.flagged {
		waits, v := j.targets().of(p.id)&watched != 0, p.judgement.Verdict
		if !waits && (r == nil || v == check.OK) {
			continue
		}
		if k := p.key(); k.ignored {
			if k.ignored = false; j.pairs.byKey[k] != nil {
				continue // the verdict is that on the other references
			}
		}
		url := j.crawl.Print.Place(&j.details.get(p.id).job, p.fragment, p.hasFragment)
		r.verdict(url, v)
		if waits && j.crawl.Watched[url] {
			*j.crawl.Watch = append(*j.crawl.Watch, result.Watched{URL: url, Verdict: v})
		}
	}
	r.watch(j.crawl.Watched)
	return j.details.err
}
