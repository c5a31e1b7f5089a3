package drift

import (
	"encoding/binary"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// First is what is remembered of a page when it was first seen.
type First struct {
	Seen     time.Time // to the second
	LastSame time.Time // when it last had not drifted, to the second
	Title    string
	Sketch   Sketch
}

// Append appends the encoded form to dst:
//
//	first seen, last same  seconds since 1970
//	title                  a string, of at most maxTitle bytes
//	sketch                 Sketch.Append
func (f *First) Append(dst []byte) []byte {
	dst = binary.AppendVarint(dst, f.Seen.Unix())
	dst = binary.AppendVarint(dst, f.LastSame.Unix())
	return f.Sketch.Append(record.AppendString(dst, f.Title[:min(len(f.Title), maxTitle)]))
}

const maxTitle = 512

// ParseFirst reads what Append has written. The errors are those of Parse.
func ParseFirst(data []byte) (f First, err error) {
	r := record.NewReader(data, string(data))
	f.Seen, f.LastSame = time.Unix(r.Varint(), 0).UTC(), time.Unix(r.Varint(), 0).UTC()
	f.Title = r.String()
	sketch, ok := r.End()
	if !ok {
		return f, errDamaged
	}
	f.Sketch, err = Parse(sketch)
	return f, err
}
