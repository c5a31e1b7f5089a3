package crawler

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// watch marks a target of which the caller wants to know every verdict: its
// references are all looked at closely, however simply ok they are.
func (j *join) watch(job *frontier.Job) nodeState {
	if len(j.r.cfg.Watched) == 0 {
		return 0
	}
	if j.targets == nil {
		j.targets = map[string]bool{}
		for url := range j.r.cfg.Watched {
			target, _, _ := strings.Cut(url, "#")
			j.targets[target] = true
		}
	}
	printed := j.r.print.Job(job)
	if j.targets[printed] || job.Verbatim && j.r.cfg.Watched[printed] {
		return watching
	}
	return 0
}

// watched tells the verdicts that the caller waits for.
func (j *join) watched() error {
	if j.r.cfg.Watch == nil {
		return nil
	}
	for _, p := range j.flagged {
		if j.states[p.id-1]&watching == 0 {
			continue
		}
		if url := j.r.print.Place(&j.dossier(p.id).job, p.fragment, p.hasFragment); j.r.cfg.Watched[url] {
			j.r.cfg.Watch(url, p.judgement.Verdict)
		}
	}
	return j.shelf.err
}
