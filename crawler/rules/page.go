package rules

import (
	"encoding/binary"
	"errors"
)

// What is kept of a page beside its outcome and its references: a byte of flags, the
// length of the format, the format, and the canonical address.

const (
	pageKept    = 1 << iota // always
	pageNoIndex             // NoIndex
	pageFlags   = 1<<iota - 1
)

// EncodePage writes what a state keeps of a page beside its outcome and its references.
func EncodePage(p *Page) []byte {
	flags := byte(pageKept)
	if p.NoIndex {
		flags |= pageNoIndex
	}
	b := append(make([]byte, 0, 2+len(p.Format)+len(p.Canonical)), flags)
	b = binary.AppendUvarint(b, uint64(len(p.Format)))
	return append(append(b, p.Format...), p.Canonical...)
}

// DecodePage reads what EncodePage wrote.
func DecodePage(b []byte) (*Page, error) {
	if len(b) < 2 || b[0]&pageKept == 0 || b[0] > pageFlags {
		return nil, errPage
	}
	n, size := binary.Uvarint(b[1:])
	rest := b[1+max(size, 0):]
	if size <= 0 || n > uint64(len(rest)) {
		return nil, errPage
	}
	return &Page{NoIndex: b[0]&pageNoIndex != 0, Format: string(rest[:n]), Canonical: string(rest[n:])}, nil
}

var errPage = errors.New("what was kept of the page is damaged")
