package report

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// newOnly leaves out what a baseline has, where the format and show say so.
func (f *Format) newOnly(w Writer, show Show) Writer {
	if !f.NewOnly || show&ShowKnown != 0 {
		return w
	}
	return &newOnly{w, show.orDefault()}
}

// newOnly passes on what no baseline has.
type newOnly struct {
	Writer
	show Show
}

// Page passes pages on to a Writer that wants them.
func (n *newOnly) Page(p *crawler.Page) error {
	if w, ok := n.Writer.(PageWriter); ok {
		return w.Page(p)
	}
	return nil
}

// Result passes on what is left of a result.
func (n *newOnly) Result(r *crawler.Result) error {
	if len(r.Known) == 0 && !slices.ContainsFunc(r.References, func(ref crawler.Reference) bool { return ref.Known }) {
		return n.Writer.Result(r)
	}
	out := *r
	out.Warnings = slices.DeleteFunc(slices.Clone(r.Warnings), func(w check.Warning) bool { return slices.Contains(r.Known, w.Code) })
	switch {
	case !isFinding(r.Verdict):
	case slices.Contains(r.Known, r.Code):
		if !slices.ContainsFunc(out.Warnings, func(w check.Warning) bool { return !isInfo(w.Code) }) {
			return nil
		}
	default:
		out.References = slices.DeleteFunc(slices.Clone(r.References), func(ref crawler.Reference) bool { return ref.Known })
	}
	if !n.show.result(&out) {
		return nil
	}
	return n.Writer.Result(&out)
}
