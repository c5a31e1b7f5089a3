package result

import (
	"encoding/binary"
	"fmt"
)

// Spool holds records that belong to values with indexes. They come in any order, and leave in the
// order of the values. All the references of a site may take gigabytes, so each value belongs to one
// of some buckets, which hold consecutive values and go to a temporary file in parts. One bucket
// after the other is loaded. A Spool is not safe for concurrent use.
type Spool struct {
	bucketOf []uint8 // by the indexes of values
	buckets  []spoolBucket
	file     File
}

// spoolBucket has the records of some values, each after its length and the number of its value
// in the bucket.
type spoolBucket struct {
	first int         // the index of the first value
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

// NewSpool returns a spool for the records of a number of values. size returns about how large
// those of the value with an index are, in any unit: buckets hold as much each, apart from the last
// value.
func NewSpool(values int, size func(index int) int) *Spool {
	s := &Spool{bucketOf: make([]uint8, values)}
	all := 0
	for i := range values {
		all += size(i) + 1
	}
	before, last := 0, -1
	for i := range values {
		if n := before * spoolBuckets / all; n != last {
			s.buckets = append(s.buckets, spoolBucket{first: i})
			last = n
		}
		s.bucketOf[i] = uint8(len(s.buckets) - 1)
		before += size(i) + 1
	}
	return s
}

// Add adds a record of the value with an index.
func (s *Spool) Add(index uint32, record []byte) {
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

// Load calls add with the records of the bucket that begins with the value of an index, those of a
// value in the order in which they were added, and frees its memory. Other values begin no bucket,
// and nothing happens. s may be nil. add must not keep the record.
func (s *Spool) Load(index int, add func(index int, record []byte)) error {
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
			err = eachRecord(part, index, add)
		}
		if err != nil {
			return fmt.Errorf("read from a temporary file: %w", err)
		}
	}
	err := eachRecord(b.rest, index, add)
	b.parts, b.rest = nil, nil
	return err
}

// eachRecord calls add with the records of a part of the bucket that begins with the value of an
// index.
func eachRecord(part []byte, index int, add func(index int, record []byte)) error {
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

// Close removes the file and what is held. s may be nil.
func (s *Spool) Close() {
	if s != nil {
		s.file.Close()
		*s = Spool{}
	}
}
