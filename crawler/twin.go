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
	mu    sync.Mutex
	plain map[string]bool // hosts that did not answer over https at all; they are not tried again
}

// maxPlain is the maximum number of hosts without https that are remembered.
const maxPlain = 100_000

// ask requests the same address over https, for the default port only. A 2xx answer
// without a redirect proves that it can be linked to instead.
func (s *twins) ask(ctx context.Context, l *line, u urinorm.URL, o *check.Outcome) error {
	if u.Scheme() != "http" || u.Port() != "" || l.door.requests.scope().SiteOf(u) != nil || s.isPlain(u.Host()) {
		return nil
	}
	twin, _, err := urinorm.ParseWeb("https" + strings.TrimPrefix(u.String(), "http"))
	if err != nil {
		return nil
	}
	resp, err := l.beside(ctx, forTwin, &fetch.Request{URL: twin, Internal: l.target.Internal, Need: fetch.Existence})
	if err != nil {
		seen, err := faultOutcome(ctx, err)
		if seen != nil && !seen.LocalLimit {
			o.Requests += seen.Requests
			s.addPlain(u.Host())
		}
		return err
	}
	if resp == nil {
		return nil
	}
	o.Requests += resp.Requests
	if resp.Body != nil {
		resp.Body.Close()
	}
	if resp.Status >= 200 && resp.Status <= 299 {
		o.Warn(check.Warning{Code: check.CodeInsecureHTTP, Message: "the same address answers over https", Proposal: twin.WithoutUserinfo().Printed()})
	}
	return nil
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
