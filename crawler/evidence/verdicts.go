package evidence

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// verdicts are the results of a run about targets on the network.
type verdicts struct {
	list   []judged
	hide   func(url string) string
	wanted map[string]bool // URLs whose exchanges are those of findings
}

// judged is a result.
type judged struct {
	url     string // as printed
	verdict check.Verdict
	code    check.Code
	hops    []string // where redirects led
}

// document returns a printed URL without its fragment and its secrets.
func (v *verdicts) document(url string) string { return document(v.hide(url)) }

// document returns a printed URL without its fragment.
func document(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// add notes a result. Those that are simply ok need not be given: a target without one is ok.
func (v *verdicts) add(r *result.Result) {
	if !strings.Contains(r.URL, "://") && !strings.Contains(r.URL, ":") {
		return // a file
	}
	finding := r.Verdict == check.Broken || r.Verdict == check.Unverified || r.Verdict == check.VerdictWarning
	for _, w := range r.Warnings {
		finding = finding || !w.IsInfo()
	}
	j := judged{url: v.hide(r.URL), verdict: r.Verdict, code: r.Code}
	for _, hop := range r.Redirects {
		j.hops = append(j.hops, v.document(hop.URL))
	}
	if r.FinalURL != "" {
		j.hops = append(j.hops, v.document(r.FinalURL))
	}
	if finding {
		v.wanted[v.document(r.URL)] = true
		for _, hop := range j.hops {
			v.wanted[hop] = true
		}
		for i := range r.References {
			v.wanted[v.document(r.References[i].Page)] = true
		}
	}
	if r.Code == check.CodeRobotsDisallowed {
		if robots, ok := robotsOf(r.URL); ok {
			v.wanted[v.document(robots)] = true
		}
		for i := range r.References {
			v.wanted[v.document(r.References[i].Page)] = true
		}
	}
	if r.Kind == result.KindTarget {
		v.list = append(v.list, j)
	}
}

// robotsOf returns the address of the robots.txt of a URL.
func robotsOf(url string) (string, bool) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return "", false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return scheme + "://" + host + "/robots.txt", true
}
