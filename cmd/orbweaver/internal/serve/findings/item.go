package findings

import (
	"iter"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// Item is one line of a list: the verdict on a target, or one of its warnings.
type Item struct {
	Fingerprint string
	URL         string
	Verdict     string
	Code        string
	Message     string
	Scope       string
	Host        string
	Status      int
	Places      int
	Listed      bool // it is broken, unverified or a warning
}

// Of returns the items of a result: its verdict, then its warnings. Information is left out.
func Of(project string, r *result.Result) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		base := Item{URL: r.URL, Host: hostOf(r.URL), Status: r.Status, Scope: "external"}
		if r.Internal {
			base.Scope = "internal"
		}
		of := func(verdict string, code check.Code, message string, concerned int) Item {
			i := base
			i.Verdict, i.Code, i.Message, i.Places = verdict, string(code), message, concerned
			i.Listed = verdict == check.Broken.String() || verdict == check.Unverified.String() || verdict == check.VerdictWarning.String()
			i.Fingerprint = Fingerprint(project, r.URL, i.Code)
			return i
		}
		if r.Verdict != check.VerdictInfo && !yield(of(r.Verdict.String(), r.Code, r.Message, len(r.References))) {
			return
		}
		for _, w := range r.Warnings {
			if w.IsInfo() || w.IsVerdict(r.Code) {
				continue
			}
			places := 0
			for i := range r.References {
				if r.References[i].Concerns(w.Code) {
					places++
				}
			}
			if !yield(of(check.VerdictWarning.String(), w.Code, w.Message, places)) {
				return
			}
		}
	}
}

// Show are the results that a Builder needs.
const Show = report.ShowAll
