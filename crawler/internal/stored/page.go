package stored

import (
	"errors"

	"github.com/orbweaver/orbweaver/crawler/internal/record"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// What is kept of a page beside its outcome and its references: a byte of flags, the format, the
// canonical address, each with its length before it, and then what the next crawl needs so that it
// need not read the page again, if anything. In frontier.Encoding 1 and 2, the canonical address
// has no length, and nothing follows.

const (
	pageKept    = 1 << iota // always
	pageNoIndex             // NoIndex
	pageSized               // the canonical address has its length before it
	pageFlags   = 1<<iota - 1
)

// EncodePage writes what a state keeps of a page beside its outcome and its references. What the
// next crawl needs may be appended.
func EncodePage(p *result.Page) []byte {
	flags := byte(pageKept | pageSized)
	if p.NoIndex {
		flags |= pageNoIndex
	}
	b := append(make([]byte, 0, 4+len(p.Format)+len(p.Canonical)), flags)
	return record.AppendString(record.AppendString(b, p.Format), p.Canonical)
}

// DecodePage reads what EncodePage wrote, and returns what was appended.
func DecodePage(b []byte) (p *result.Page, next []byte, err error) {
	if len(b) < 2 || b[0]&pageKept == 0 || b[0] > pageFlags {
		return nil, nil, errPage
	}
	r := record.Reader{Rest: b[1:]}
	p = &result.Page{NoIndex: b[0]&pageNoIndex != 0, Format: r.String()}
	if b[0]&pageSized == 0 {
		p.Canonical, r.Rest = string(r.Rest), nil
	} else {
		p.Canonical = r.String()
	}
	if r.Failed {
		return nil, nil, errPage
	}
	return p, r.Rest, nil
}

var errPage = errors.New("what was kept of the page is damaged")
