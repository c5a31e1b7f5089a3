package rules

import (
	"encoding/binary"
	"errors"
)

// What is kept of a page beside its outcome and its references: a byte of flags, the
// length of the format, the format, the length of the canonical address and that address, and
// what the next crawl needs so that it need not read the page again, if anything. Without the
// latter, the canonical address has no length.

const (
	pageKept    = 1 << iota // always
	pageNoIndex             // NoIndex
	pageCarries             // what the next crawl needs follows
	pageFlags   = 1<<iota - 1
)

// EncodePage writes what a state keeps of a page beside its outcome and its references.
func EncodePage(p *Page) []byte { return encodePage(p, nil) }

func encodePage(p *Page, next []byte) []byte {
	flags := byte(pageKept)
	if p.NoIndex {
		flags |= pageNoIndex
	}
	b := append(make([]byte, 0, 4+len(p.Format)+len(p.Canonical)+len(next)), flags)
	b = binary.AppendUvarint(b, uint64(len(p.Format)))
	b = append(b, p.Format...)
	if len(next) == 0 {
		return append(b, p.Canonical...)
	}
	b[0] |= pageCarries
	b = binary.AppendUvarint(b, uint64(len(p.Canonical)))
	return append(append(b, p.Canonical...), next...)
}

// PageWith adds what the next crawl needs to what EncodePage wrote.
func PageWith(b, next []byte) ([]byte, error) {
	p, _, err := DecodePage(b)
	if err != nil {
		return nil, err
	}
	return encodePage(p, next), nil
}

// DecodePage reads what EncodePage and PageWith wrote.
func DecodePage(b []byte) (p *Page, next []byte, err error) {
	if len(b) < 2 || b[0]&pageKept == 0 || b[0] > pageFlags {
		return nil, nil, errPage
	}
	format, rest, ok := cutLength(b[1:])
	canonical := rest
	if ok && b[0]&pageCarries != 0 {
		canonical, next, ok = cutLength(rest)
	}
	if !ok {
		return nil, nil, errPage
	}
	return &Page{NoIndex: b[0]&pageNoIndex != 0, Format: string(format), Canonical: string(canonical)}, next, nil
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
