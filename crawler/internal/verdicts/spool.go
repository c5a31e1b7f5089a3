package verdicts

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// referenceSpool holds the references of pairs until their results are delivered. They come
// in the order of their pages, and leave in the order of their pairs. All the references of
// a site may take gigabytes, so each pair belongs to one of some buckets, which hold
// consecutive pairs and go to a temporary file in parts. One bucket after the other is loaded.
type referenceSpool struct {
	bucketOf []uint8 // by the indexes of pairs
	buckets  []spoolBucket
	file     result.File
}

// spoolBucket has the records of some pairs, each after its length and the number of its pair
// in the bucket.
type spoolBucket struct {
	first int         // the index of the first pair
	parts []spoolPart // in the file
	rest  []byte
}

type spoolPart struct {
	from   int64
	length int
}

const (
	spoolBuckets = 128      // at most
	spoolPartLen = 16 << 10 // from which a part goes to the file, in bytes
)

// newReferenceSpool returns a spool for the references of pairs. cites returns about how many
// the pair with an index has: buckets hold as many each, apart from the last pair.
func newReferenceSpool(pairs int, cites func(index int) int) *referenceSpool {
	s := &referenceSpool{bucketOf: make([]uint8, pairs)}
	all := 0
	for i := range pairs {
		all += cites(i) + 1
	}
	before, last := 0, -1
	for i := range pairs {
		if n := before * spoolBuckets / all; n != last {
			s.buckets = append(s.buckets, spoolBucket{first: i})
			last = n
		}
		s.bucketOf[i] = uint8(len(s.buckets) - 1)
		before += cites(i) + 1
	}
	return s
}

// add adds the record of a reference of the pair with an index.
func (s *referenceSpool) add(index uint32, record []byte) {
	b := &s.buckets[s.bucketOf[index]]
	b.rest = binary.AppendUvarint(b.rest, uint64(len(record)))
	b.rest = binary.AppendUvarint(b.rest, uint64(int(index)-b.first))
	b.rest = append(b.rest, record...)
	if len(b.rest) < spoolPartLen {
		return
	}
	from := s.file.Size()
	if _, err := s.file.Write(b.rest); err != nil {
		return // the disk is full, for example: it stays in memory
	}
	b.parts = append(b.parts, spoolPart{from, len(b.rest)})
	b.rest = b.rest[:0]
}

// load calls add with the records of the bucket that begins with the pair of an index, and
// frees its memory. Other pairs begin no bucket, and nothing happens. s may be nil.
func (s *referenceSpool) load(index int, add func(index int, record []byte)) error {
	if s == nil {
		return nil
	}
	b := &s.buckets[s.bucketOf[index]]
	if index != b.first {
		return nil
	}
	var part []byte
	for _, p := range b.parts {
		if cap(part) < p.length {
			part = make([]byte, p.length)
		}
		part = part[:p.length]
		_, err := s.file.ReadAt(part, p.from)
		if err == nil {
			err = each(part, index, add)
		}
		if err != nil {
			return fmt.Errorf("read references from a temporary file: %w", err)
		}
	}
	err := each(b.rest, index, add)
	b.parts, b.rest = nil, nil
	return err
}

// each calls add with the records of a part of the bucket that begins with the pair of an
// index.
func each(part []byte, index int, add func(index int, record []byte)) error {
	for len(part) > 0 {
		length, size := binary.Uvarint(part)
		if size <= 0 {
			return errDamaged
		}
		part = part[size:]
		n, size := binary.Uvarint(part)
		if size <= 0 || uint64(len(part)-size) < length {
			return errDamaged
		}
		add(index+int(n), part[size:size+int(length)])
		part = part[size+int(length):]
	}
	return nil
}

var errDamaged = errors.New("it is damaged")

// close removes the file and what is held. s may be nil.
func (s *referenceSpool) close() {
	if s != nil {
		s.file.Close()
		*s = referenceSpool{}
	}
}
