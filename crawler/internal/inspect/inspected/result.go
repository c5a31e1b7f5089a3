// Package inspected is what content checks found in a document.
package inspected

import (
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Link is a link that a plugin found on a page.
type Link struct {
	URL          string // as written
	Line, Column int    // 0 if there is no place
	Plugin       string
}

// Result is what content checks found in a document.
type Result struct {
	Inspection judging.Inspection
	Links      []Link
	// Images and Integrities are the targets whose content must be requested to judge the
	// page: images if they are internal, and others always.
	Images, Integrities []urinorm.URL
}

// Reuse returns the result of an earlier inspection of a page that has not changed, without the
// links of plugins. Its error wraps facts.ErrMalformed or tells what is wrong with the encoding.
func Reuse(inspection []byte) (found Result, err error) {
	in, err := judging.DecodeInspection(inspection)
	if err != nil {
		return found, err
	}
	found.Inspection = *in
	if !facts.IsPage(in.Facts) {
		return found, nil
	}
	var f facts.Page
	if err := f.Decode(in.Facts); err != nil {
		return found, err
	}
	found.Wants(&f)
	return found, nil
}

// Wants adds the targets whose content is needed to judge the facts of a page.
func (r *Result) Wants(f *facts.Page) {
	for i := range f.Images {
		if u, _, err := urinorm.ParseWeb(f.Images[i].URL); err == nil {
			r.Images = append(r.Images, u)
		}
	}
	for i := range f.Integrities {
		if u, _, err := urinorm.ParseWeb(f.Integrities[i].URL); err == nil {
			r.Integrities = append(r.Integrities, u)
		}
	}
}
