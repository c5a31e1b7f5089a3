package verdicts

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// watch returns what tells whether the caller waits for the verdicts of a target: its
// references are all looked at closely, however simply ok they are.
func (j *join) watch() func(*frontier.Job) bool {
	if len(j.Config.Watched) == 0 {
		return func(*frontier.Job) bool { return false }
	}
	documents := map[string]bool{} // those that are watched, without fragments
	for url := range j.Config.Watched {
		document, _, _ := strings.Cut(url, "#")
		documents[document] = true
	}
	return func(job *frontier.Job) bool {
		printed := j.Print.Job(job)
		return documents[printed] || job.Verbatim && j.Config.Watched[printed]
	}
}

// watched passes on the verdicts that the caller waits for.
func (j *join) watched() error {
	if j.Config.Watch == nil {
		return nil
	}
	for _, p := range j.flagged {
		if j.of(p.id)&watching == 0 {
			continue
		}
		if url := j.Print.Place(&j.dossiers.get(p.id).job, p.fragment, p.hasFragment); j.Config.Watched[url] {
			j.Config.Watch(url, p.judgement.Verdict)
		}
	}
	return j.dossiers.err
}
