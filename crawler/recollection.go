package crawler

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// stands adds the outcome that replaces the request, if there is one, and enters the target of a
// redirect.
func (v *visitor) stands(s settlement) (settlement, error) {
	scope := v.door.Scope()
	o, way := v.memory.Stands(s.Target, scope)
	if way == nil {
		s.Outcome = o
		return s, nil
	}
	page := v.reader.page(&s.content, s.Target)
	page.Enter(way.To, way.Href, way.Job, way.Fate)
	sound, err := v.memory.Follow(v.always, way, page.Targets(), scope)
	if !sound || err != nil {
		v.reader.release(&s.content)
		return s, err
	}
	s.Outcome = o
	return s, nil
}

// condition returns what is known of a target, if that makes the request for it conditional, and
// how many requests were sent to learn that.
func (v *visitor) condition(ctx context.Context, t *admit.Target, req *fetch.Request) (asked recall.Request, requests int) {
	asked = v.memory.Condition(t, req, v.door.Scope())
	known := asked.Known
	if known == nil {
		return asked, 0
	}
	suffices, requests := v.suffices(ctx, t, known)
	if !suffices {
		asked.Known = nil
		return asked, requests
	}
	req.Validators = known.Validators
	return asked, requests
}

// suffices reports whether the visit needs nothing of the content of a document that is not known
// from an earlier state, and how many requests were sent to learn that.
func (v *visitor) suffices(ctx context.Context, t *admit.Target, known *recall.Entry) (suffices bool, requests int) {
	inspector := v.cfg.Judging.Inspector
	if !inspector.Knows(&known.Outcome, t.Internal) || t.Seed && inspector.NeedsIcons() {
		return false, 0
	}
	if !t.Follow || v.rendering == nil || !t.Internal {
		return true, 0
	}
	return v.rendersAlike(ctx, t, known.Page)
}

// rendersAlike reports whether no browser may need the content of a document that has not changed:
// it is loaded by no page, and if it was to be rendered, nothing has changed that it loads.
func (v *visitor) rendersAlike(ctx context.Context, t *admit.Target, p *recall.Page) (alike bool, requests int) {
	switch {
	case p.Format != "html":
		return false, 0
	case !p.Rendered:
		return !t.Render && v.cfg.RenderModeOf(v.rendering.print.URL(t.At)) != rules.RenderAlways, 0
	}
	for i := range p.Loaded {
		unchanged, sent := v.rendering.unchanged(ctx, &p.Loaded[i])
		requests += sent
		if !unchanged {
			return false, requests
		}
	}
	return true, requests
}
