package result

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Sorted keeps values, such as results, in memory or in a temporary file, and returns them in
// order. It is not safe for concurrent use.
type Sorted[T any] struct {
	// Order is the order of the values, and how they are kept in the file.
	Order Order[T]
	// threshold is the size from which values are written to the file, in bytes of memory; 0
	// is 2 MiB.
	threshold int

	held   []T // those that are not in the file
	size   int // bytes that held takes, about
	file   File
	runs   []run
	last   T // of the last run
	buffer []byte
	out    *bufio.Writer // to the file
}

// Order is the order of values, and how they are kept outside of memory.
type Order[T any] interface {
	// Compare is the order. Values that are equal keep the order in which they were added.
	Compare(a, b T) int
	// Size returns about how many bytes of memory a value takes.
	Size(T) int
	// Append appends the encoded form of a value.
	Append(b []byte, v T) []byte
	// Decode is the inverse of Append. The value must not refer to the bytes, which are
	// used for the next one. It returns an error if they are damaged.
	Decode([]byte) (T, error)
}

// run is a sorted part of the file.
type run struct{ from, length int64 }

const defaultLimit = 2 << 20

// Add adds a value. The caller must not change it any more.
func (s *Sorted[T]) Add(v T) {
	s.held = append(s.held, v)
	if s.size += s.Order.Size(v); s.size >= s.limit() && !s.file.hasFailed() {
		s.spill()
	}
}

func (s *Sorted[T]) limit() int {
	if s.threshold > 0 {
		return s.threshold
	}
	return defaultLimit
}

// Kept is how results are kept. A type that embeds it and has an order is their [Order].
type Kept struct{}

// Size returns about how many bytes of memory a result takes.
func (Kept) Size(r *Result) int {
	const result, reference = 600, 200
	return result + reference*len(r.References)
}

// Append appends the encoded form of a result.
func (Kept) Append(b []byte, r *Result) []byte { return appendResult(b, r) }

// Decode is the inverse of Append.
func (Kept) Decode(b []byte) (*Result, error) { return decodeResult(b) }

// spill moves the held values to the file.
func (s *Sorted[T]) spill() {
	s.sortHeld()
	r := run{from: s.file.Size()}
	if s.out == nil {
		s.out = bufio.NewWriterSize(&s.file, 64<<10)
	}
	for _, held := range s.held {
		s.buffer = s.Order.Append(s.buffer[:0], held)
		var head [binary.MaxVarintLen64]byte
		_, _ = s.out.Write(head[:binary.PutUvarint(head[:], uint64(len(s.buffer)))]) // Flush returns the error
		_, _ = s.out.Write(s.buffer)
	}
	if err := s.out.Flush(); err != nil {
		return // the disk is full, for example: everything stays in memory
	}
	r.length = s.file.Size() - r.from
	if n := len(s.runs); n > 0 && s.Order.Compare(s.last, s.held[0]) <= 0 { // as when values come in order
		s.runs[n-1].length += r.length
	} else {
		s.runs = append(s.runs, r)
	}
	s.last = s.held[len(s.held)-1]
	clear(s.held)
	s.held, s.size = s.held[:0], 0
}

func (s *Sorted[T]) sortHeld() { slices.SortStableFunc(s.held, s.Order.Compare) }

// Each calls fn with each value in order. It may be called more than once; each call may
// pass other copies of the values.
func (s *Sorted[T]) Each(fn func(T) error) error {
	s.sortHeld()
	if len(s.runs) == 0 {
		for _, v := range s.held {
			if err := fn(v); err != nil {
				return err
			}
		}
		return nil
	}
	m := merge[T]{order: s.Order}
	for i, r := range s.runs {
		if err := m.add(&source[T]{number: i, order: s.Order, in: bufio.NewReaderSize(io.NewSectionReader(&s.file, r.from, r.length), 64<<10)}); err != nil {
			return err
		}
	}
	if err := m.add(&source[T]{number: len(s.runs), held: s.held}); err != nil {
		return err
	}
	for len(m.sources) > 0 {
		first := m.sources[0]
		m.sources = m.sources[1:]
		if err := fn(first.value); err != nil {
			return err
		}
		if err := m.add(first); err != nil {
			return err
		}
	}
	return nil
}

// Close removes the file.
func (s *Sorted[T]) Close() {
	s.file.Close()
	s.held, s.runs, s.last = nil, nil, *new(T)
}

// merge merges sorted sources.
type merge[T any] struct {
	order   Order[T]
	sources []*source[T] // in the order of their current values
}

// source is a sorted sequence of values.
type source[T any] struct {
	number int // sources with lower numbers come first where values are equal
	value  T
	held   []T
	in     *bufio.Reader // nil for values in memory
	order  Order[T]
	record []byte
}

// add moves a source to its next value, and puts it in order unless it has ended.
func (m *merge[T]) add(s *source[T]) error {
	more, err := s.next()
	if err != nil || !more {
		return err
	}
	at, _ := slices.BinarySearchFunc(m.sources, s, func(a, b *source[T]) int {
		if n := m.order.Compare(a.value, b.value); n != 0 {
			return n
		}
		return a.number - b.number
	})
	m.sources = slices.Insert(m.sources, at, s)
	return nil
}

func (s *source[T]) next() (more bool, err error) {
	if s.in == nil {
		if len(s.held) == 0 {
			return false, nil
		}
		s.value, s.held = s.held[0], s.held[1:]
		return true, nil
	}
	n, err := binary.ReadUvarint(s.in)
	if err == io.EOF {
		return false, nil
	}
	if err == nil && n > math.MaxInt32 {
		err = errors.New("it is damaged")
	}
	if err == nil {
		s.record = slices.Grow(s.record[:0], int(n))[:n]
		_, err = io.ReadFull(s.in, s.record)
	}
	if err == nil {
		s.value, err = s.order.Decode(s.record)
	}
	if err != nil {
		return false, fmt.Errorf("read from a temporary file: %w", err)
	}
	return true, nil
}
