package report

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// withoutKnown returns a writer that omits findings that a baseline has, if the format
// and show ask for that.
func (f *Format) withoutKnown(w Writer, show Show) Writer {
	if !f.NewOnly || show&ShowKnown != 0 {
		return w
	}
	return &knownFilter{w, show.orDefault()}
}

// knownFilter passes on only findings that no baseline has.
type knownFilter struct {
	Writer
	show Show
}

// Page passes pages on to a [PageWriter].
func (n *knownFilter) Page(p *result.Page) error {
	if w, ok := n.Writer.(PageWriter); ok {
		return w.Page(p)
	}
	return nil
}

// Result passes on the new findings of a result.
func (n *knownFilter) Result(r *result.Result) error {
	if len(r.Known) == 0 && !slices.ContainsFunc(r.References, func(ref result.Reference) bool { return ref.Known }) {
		return n.Writer.Result(r)
	}
	out := *r
	out.Warnings = slices.DeleteFunc(slices.Clone(r.Warnings), func(w check.Warning) bool { return slices.Contains(r.Known, w.Code) })
	switch {
	case !isFinding(r.Verdict):
	case slices.Contains(r.Known, r.Code):
		if !slices.ContainsFunc(out.Warnings, func(w check.Warning) bool { return !w.IsInfo() }) {
			return nil
		}
	default:
		out.References = slices.DeleteFunc(slices.Clone(r.References), func(ref result.Reference) bool { return ref.Known })
	}
	if !n.show.Lists(&out) {
		return nil
	}
	return n.Writer.Result(&out)
}
