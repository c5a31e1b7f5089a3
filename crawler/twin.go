package crawler

import (
	"context"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// twins asks whether addresses that links name with http answer over https as well.
type twins struct {
	requests *requests

	mu    sync.Mutex
	plain map[string]bool // hosts that did not answer over https at all; they are not tried again
}

// maxPlain is the maximum number of hosts without https that are remembered.
const maxPlain = 100_000

// ask requests the same address over https, for the default port only. A 2xx answer
// without a redirect proves that it can be linked to instead.
func (s *twins) ask(ctx context.Context, u urinorm.URL, internal bool, o *check.Outcome) {
	if u.Scheme() != "http" || u.Port() != "" || s.requests.scope().SiteOf(u) != nil || s.isPlain(u.Host()) {
		return
	}
	twin, _, err := urinorm.ParseWeb("https" + strings.TrimPrefix(u.String(), "http"))
	if err != nil {
		return
	}
	resp, err := s.requests.fetch(ctx, &fetch.Request{URL: twin, Internal: internal, Need: fetch.Existence})
	if err != nil {
		if seen, _ := faultOutcome(ctx, err); seen != nil && !seen.LocalLimit {
			o.Requests += seen.Requests
			s.addPlain(u.Host())
		}
		return
	}
	o.Requests += resp.Requests
	if resp.Body != nil {
		resp.Body.Close()
	}
	if resp.Status >= 200 && resp.Status <= 299 {
		o.Warn(check.Warning{Code: check.CodeInsecureHTTP, Message: "the same address answers over https", Proposal: twin.WithoutUserinfo().Printed()})
	}
}

func (s *twins) isPlain(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plain[host]
}

func (s *twins) addPlain(host string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plain == nil || len(s.plain) >= maxPlain {
		s.plain = map[string]bool{}
	}
	s.plain[host] = true
}
