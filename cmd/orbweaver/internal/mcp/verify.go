package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Words of verify.
const (
	works        = "works"        // verdict ok
	dead         = "dead"         // broken, and known to have existed
	neverSeen    = "never-seen"   // broken, and no source that was asked ever saw it
	unverifiable = "unverifiable" // unverified or skipped
)

// verified are the verdicts of the last minutes.
type verified struct {
	mu    sync.Mutex
	byURL map[string]kept
}

type kept struct {
	answer map[string]any
	at     time.Time
	lastOK time.Time
}

// keptAnswers is how long a verdict is given again, and maxVerified how many are kept.
const (
	keptAnswers = 5 * time.Minute
	maxVerified = 10_000
)

// get returns the verdict on a URL that is not too old.
func (v *verified) get(url string) (map[string]any, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k, ok := v.byURL[url]
	return k.answer, ok && time.Since(k.at) < keptAnswers
}

// lastOK returns when a URL that was judged before was in order; zero if that is not known.
func (v *verified) lastOK(url string) time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.byURL[url].lastOK
}

// put keeps a verdict. When too many are kept, those that are too old are forgotten, or all.
func (v *verified) put(url string, j Judged) {
	answer, lastOK := j.answer(url), j.LastOK
	if j.Result != nil && j.Result.Verdict == check.OK {
		lastOK = j.Observed
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.byURL) >= maxVerified {
		for old, k := range v.byURL {
			if time.Since(k.at) >= keptAnswers {
				delete(v.byURL, old)
			}
		}
		if len(v.byURL) >= maxVerified {
			clear(v.byURL)
		}
	}
	v.byURL[url] = kept{answer, time.Now(), lastOK}
}

func (s *Server) verify(ctx context.Context, c *call) (map[string]any, error) {
	var urls []string
	for _, url := range c.texts("urls") {
		if !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	list := (&filter{q: strings.Join(urls, "\n")}).list()
	at, err := parseCursor(c.text("after"), "verify", list, len(urls))
	if err != nil {
		return nil, err
	}
	answers := make([]map[string]any, len(urls))
	var ask []string
	fresh := c.is("fresh") && at == 0 // further pages are of the same answers
	for i, url := range urls {
		if answers[i] = unaskable(url); answers[i] != nil {
			continue
		}
		if known, ok := s.verified.get(url); ok && !fresh {
			answers[i] = known
			continue
		}
		ask = append(ask, url)
	}
	if len(ask) > 0 {
		if err := s.judge(ctx, c, ask); err != nil {
			return nil, err
		}
	}
	for i, url := range urls {
		if answers[i] == nil {
			answers[i], _ = s.verified.get(url)
		}
	}
	answer := map[string]any{"budget_left": s.engine.Left(), "total": len(urls)}
	n, err := fitItems(answer, c.most, len(urls), len(urls)-at, func(i, length int) any {
		shown, _ := cleanAll(answers[at+i], length).(map[string]any)
		return shown
	})
	answer["next"] = next("verify", list, at+n, len(urls))
	return answer, err
}

// judge has URLs judged, and keeps the answers.
func (s *Server) judge(ctx context.Context, c *call, urls []string) error {
	leave, err := s.place(ctx)
	if err != nil {
		return err
	}
	defer leave()
	judged, err := s.engine.Verify(ctx, urls, s.config.CallBudget, c.progress)
	if err != nil {
		return err
	}
	for i := range judged {
		if j := &judged[i]; j.LastOK.IsZero() && j.Result != nil && j.Result.Verdict == check.Broken {
			j.LastOK = s.verified.lastOK(urls[i])
		}
		s.verified.put(urls[i], judged[i])
	}
	return nil
}

// unaskable returns the answer about a text that is no http or https URL; nil for one that is.
func unaskable(url string) map[string]any {
	answer := func(code check.Code, message string) map[string]any {
		return map[string]any{"url": url, "answer": unverifiable, "verdict": check.Skipped.String(), "code": string(code), "message": message, "observed": nil, "sources": []any{}}
	}
	u, _, err := urinorm.ParseWeb(url)
	switch {
	case err == nil && (u.Scheme() == "http" || u.Scheme() == "https"):
		return nil
	case err == nil && u.Scheme() != "":
		return answer(check.CodeSchemeUnchecked, "only http and https are requested")
	case strings.Contains(url, "://"):
		return answer(check.CodeURIInvalid, fmt.Sprintf("it is no URL: %v", err))
	case strings.HasPrefix(url, "/") || strings.HasPrefix(url, ".") || strings.HasPrefix(url, "~") || strings.HasPrefix(url, `\`):
		return answer(check.CodeSchemeUnchecked, "a path is not opened: verify judges URLs")
	}
	return answer(check.CodeURIInvalid, "it is no absolute URL")
}

func (j *Judged) answer(url string) map[string]any {
	r := j.Result
	if r == nil {
		return map[string]any{"url": url, "answer": unverifiable, "verdict": check.Skipped.String(), "code": string(check.CodeLimit),
			"message": "it was not requested: the budget of requests is used up, or the call ended", "observed": nil, "sources": anyTexts(j.Sources)}
	}
	a := map[string]any{"url": url, "verdict": r.Verdict.String(), "code": string(r.Code), "message": r.Message, "sources": anyTexts(j.Sources), "observed": nil}
	if slices.Contains(j.Sources, "request") || slices.Contains(j.Sources, "cache") {
		a["observed"] = j.Observed.UTC().Format(time.RFC3339)
	}
	if r.FinalURL != "" {
		a["final_url"] = r.FinalURL
	}
	if r.Status != 0 {
		a["status"] = r.Status
	}
	if r.Title != "" {
		a["title"] = r.Title
	}
	if !j.LastOK.IsZero() {
		a["last_ok"] = j.LastOK.UTC().Format(time.RFC3339)
	}
	for _, s := range r.Suggestions {
		if check.IsArchived(s) {
			a["archived"] = s.URL
		}
	}
	switch r.Verdict {
	case check.OK:
		a["answer"] = works
	case check.Broken:
		a["answer"] = neverSeen
		if _, archived := a["archived"]; archived || !j.LastOK.IsZero() || provesExistence(r) {
			a["answer"] = dead
		}
	default:
		a["answer"] = unverifiable
	}
	return a
}

// provesExistence reports whether an answer itself says that the target existed.
func provesExistence(r *result.Result) bool {
	return r.Status == 410 || r.Code == check.CodeTLSExpired || r.Code == check.CodeFragmentMissing
}
