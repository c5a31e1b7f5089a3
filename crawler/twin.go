package crawler

import (
	"context"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// plainHosts are hosts that did not answer over https at all; they are not asked again.
type plainHosts struct {
	mu    sync.Mutex
	hosts map[string]bool
}

func (p *plainHosts) has(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hosts[host]
}

func (p *plainHosts) add(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts == nil || len(p.hosts) >= maxCookied {
		p.hosts = map[string]bool{}
	}
	p.hosts[host] = true
}

// askTwin asks for the same address over https. Only at the usual port is there
// one; a 2xx without a redirect proves that it can be linked to instead.
func (w *worker) askTwin(ctx context.Context, t *frontier.Target, u urinorm.URL, o *check.Outcome) {
	if u.Scheme() != "http" || u.Port() != "" || w.scope().SiteOf(u) != nil || w.plain.has(u.Host()) {
		return
	}
	twin, _, err := urinorm.ParseWeb("https" + strings.TrimPrefix(u.String(), "http"))
	if err != nil {
		return
	}
	resp, err := w.fetch(ctx, &fetch.Request{URL: twin, Internal: w.entrusts(twin, t.Internal), Need: fetch.Existence})
	if err != nil {
		if seen, _ := w.fault(ctx, err); seen != nil && !seen.LocalLimit {
			o.Requests += seen.Requests
			w.plain.add(u.Host())
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
