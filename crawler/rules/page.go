package rules

import (
	"encoding/binary"
	"errors"

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
	for _, text := range []string{p.Format, p.Canonical} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return b
}

// DecodePage reads what EncodePage wrote, and returns what was appended.
func DecodePage(b []byte) (p *result.Page, next []byte, err error) {
	if len(b) < 2 || b[0]&pageKept == 0 || b[0] > pageFlags {
		return nil, nil, errPage
	}
	format, canonical, ok := cutLength(b[1:])
	if ok && b[0]&pageSized != 0 {
		canonical, next, ok = cutLength(canonical)
	}
	if !ok {
		return nil, nil, errPage
	}
	return &result.Page{NoIndex: b[0]&pageNoIndex != 0, Format: string(format), Canonical: string(canonical)}, next, nil
}

// cutLength cuts off bytes that have their length before them.
func cutLength(b []byte) (cut, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	end := size + int(n)
	return b[size:end], b[end:], true
}

var errPage = errors.New("what was kept of the page is damaged")
