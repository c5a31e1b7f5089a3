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

// Sorted keeps results, in memory or in a temporary file, and returns them in order. It is
// not safe for concurrent use.
type Sorted struct {
	// Compare is the order. Results that are equal keep the order in which they were added.
	Compare func(a, b *Result) int
	// threshold is the size from which results are written to the file, in bytes of memory; 0
	// is 2 MiB.
	threshold int

	held   []*Result // those that are not in the file
	size   int       // bytes that held takes, about
	file   File
	runs   []run
	last   *Result // of the last run
	buffer []byte
	out    *bufio.Writer // to the file
}

// run is a sorted part of the file.
type run struct{ from, length int64 }

const defaultLimit = 2 << 20

// Add adds a result. The caller must not change it any more.
func (s *Sorted) Add(r *Result) {
	s.held = append(s.held, r)
	if s.size += sizeOf(r); s.size >= s.limit() && !s.file.hasFailed() {
		s.spill()
	}
}

func (s *Sorted) limit() int {
	if s.threshold > 0 {
		return s.threshold
	}
	return defaultLimit
}

// sizeOf returns about how many bytes of memory a result takes.
func sizeOf(r *Result) int {
	const result, reference = 600, 200
	return result + reference*len(r.References)
}

// spill moves the held results to the file.
func (s *Sorted) spill() {
	s.sortHeld()
	r := run{from: s.file.Size()}
	if s.out == nil {
		s.out = bufio.NewWriterSize(&s.file, 64<<10)
	}
	for _, held := range s.held {
		s.buffer = appendResult(s.buffer[:0], held)
		var head [binary.MaxVarintLen64]byte
		_, _ = s.out.Write(head[:binary.PutUvarint(head[:], uint64(len(s.buffer)))]) // Flush returns the error
		_, _ = s.out.Write(s.buffer)
	}
	if err := s.out.Flush(); err != nil {
		return // the disk is full, for example: everything stays in memory
	}
	r.length = s.file.Size() - r.from
	if n := len(s.runs); n > 0 && s.Compare(s.last, s.held[0]) <= 0 { // as when results come in order
		s.runs[n-1].length += r.length
	} else {
		s.runs = append(s.runs, r)
	}
	s.last = s.held[len(s.held)-1]
	clear(s.held)
	s.held, s.size = s.held[:0], 0
}

func (s *Sorted) sortHeld() { slices.SortStableFunc(s.held, s.Compare) }

// Each calls fn with each result in order. It may be called more than once; each call may
// pass other copies of the results.
func (s *Sorted) Each(fn func(*Result) error) error {
	s.sortHeld()
	if len(s.runs) == 0 {
		for _, r := range s.held {
			if err := fn(r); err != nil {
				return err
			}
		}
		return nil
	}
	m := merge{compare: s.Compare}
	for i, r := range s.runs {
		if err := m.add(&source{number: i, in: bufio.NewReaderSize(io.NewSectionReader(&s.file, r.from, r.length), 64<<10)}); err != nil {
			return err
		}
	}
	if err := m.add(&source{number: len(s.runs), held: s.held}); err != nil {
		return err
	}
	for len(m.sources) > 0 {
		first := m.sources[0]
		m.sources = m.sources[1:]
		if err := fn(first.result); err != nil {
			return err
		}
		if err := m.add(first); err != nil {
			return err
		}
	}
	return nil
}

// Close removes the file.
func (s *Sorted) Close() {
	s.file.Close()
	s.held, s.runs, s.last = nil, nil, nil
}

// merge merges sorted sources.
type merge struct {
	compare func(a, b *Result) int
	sources []*source // in the order of their current results
}

// source is a sorted sequence of results.
type source struct {
	number int // sources with lower numbers come first where results are equal
	result *Result
	held   []*Result
	in     *bufio.Reader // nil for results in memory
	record []byte
}

// add moves a source to its next result, and puts it in order unless it has ended.
func (m *merge) add(s *source) error {
	more, err := s.next()
	if err != nil || !more {
		return err
	}
	at, _ := slices.BinarySearchFunc(m.sources, s, func(a, b *source) int {
		if n := m.compare(a.result, b.result); n != 0 {
			return n
		}
		return a.number - b.number
	})
	m.sources = slices.Insert(m.sources, at, s)
	return nil
}

func (s *source) next() (more bool, err error) {
	if s.in == nil {
		if len(s.held) == 0 {
			return false, nil
		}
		s.result, s.held = s.held[0], s.held[1:]
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
		s.result, err = decodeResult(s.record)
	}
	if err != nil {
		return false, fmt.Errorf("read results from a temporary file: %w", err)
	}
	return true, nil
}
