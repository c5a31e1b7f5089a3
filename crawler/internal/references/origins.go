package references

import (
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// origins are the URLs of a page's remapped links before they were replaced, by the index of
// the link.
type origins map[int]string

// with returns a remapped link, with the URL that was replaced in its attribute. A link that
// repeats another has that of the other; any other link has origin.
func (o *origins) with(l *extract.Link, at, repeats int, origin string) *extract.Link {
	if repeats > 0 {
		at = repeats - 1
	} else {
		if *o == nil {
			*o = origins{}
		}
		(*o)[at] = origin
	}
	remapped := *l
	remapped.Attribute = scope.WithOrigin(l.Attribute, (*o)[at])
	return &remapped
}
