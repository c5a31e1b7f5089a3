package evidence

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// verdicts are what is known from the results of a run about targets on the network.
type verdicts struct {
	mask   *mask
	wanted map[uint64]bool // URLs whose exchanges are those of findings; see textKey
	hops   map[string]*hop // URLs to which a target redirects that has a result
}

// judged is a result.
type judged struct {
	url     string // as printed
	verdict check.Verdict
	code    check.Code
	hops    []string // where redirects led
}

// hop is where a redirect led.
type hop struct {
	ids    []string // of the records of its exchanges
	failed bool     // a target that is broken or unverified redirects to it
}

// want notes that the exchanges of a URL are those of a finding.
func (v *verdicts) want(url string) { v.wanted[textKey(url)] = true }

func (v *verdicts) wants(url string) bool { return v.wanted[textKey(url)] }

// document returns a printed URL without its fragment and its secrets.
func (v *verdicts) document(url string) string { return document(v.mask.url(url)) }

// document returns a printed URL without its fragment.
func document(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// add notes a result, and returns its verdict if it is about a target. Those that are simply ok need not be
// given: a target without one is ok.
func (v *verdicts) add(r *result.Result) *judged {
	if !strings.Contains(r.URL, ":") {
		return nil // a file
	}
	finding := r.Verdict == check.Broken || r.Verdict == check.Unverified || r.Verdict == check.VerdictWarning
	for _, w := range r.Warnings {
		finding = finding || !w.IsInfo()
	}
	j := &judged{url: v.mask.url(r.URL), verdict: r.Verdict, code: r.Code}
	for _, hop := range r.Redirects {
		j.hops = append(j.hops, v.document(hop.URL))
	}
	if r.FinalURL != "" {
		j.hops = append(j.hops, v.document(r.FinalURL))
	}
	if finding {
		v.want(v.document(r.URL))
		for _, hop := range j.hops {
			v.want(hop)
		}
	}
	if r.Code == judging.CodeRobotsDisallowed {
		if robots, ok := robotsOf(r.URL); ok {
			v.want(v.document(robots))
		}
		finding = true
	}
	if finding {
		for i := range r.References {
			v.want(v.document(r.References[i].Page))
		}
	}
	if r.Kind != result.KindTarget {
		return nil
	}
	for _, url := range j.hops {
		if v.hops[url] == nil {
			v.hops[url] = &hop{}
		}
		v.hops[url].failed = v.hops[url].failed || j.verdict == check.Broken || j.verdict == check.Unverified
	}
	return j
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
