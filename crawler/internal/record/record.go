// Package record writes and reads the parts of records in binary form: numbers as varints, strings
// with their length before them. What the parts of a record mean, and its version, belongs to the
// package that has the record.
package record

import (
	"encoding/binary"
	"math"
)

// AppendString appends a string or bytes with their length.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// AppendBool appends a byte, 1 for true and 0 for false.
func AppendBool(dst []byte, is bool) []byte {
	if is {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// Reader reads the parts of a record from the start of Rest. After the first failure, Failed is
// set and it returns zero values.
type Reader struct {
	Rest   []byte
	Failed bool
	text   string // the whole record, if the strings are to be parts of it
}

// NewReader returns a reader of a record. The strings that it reads are parts of text, which must
// have the same bytes.
func NewReader(data []byte, text string) Reader { return Reader{Rest: data, text: text} }

// Fail notes that the record is damaged.
func (r *Reader) Fail() { r.Failed, r.Rest = true, nil }

// End returns what follows the parts that were read, and false after a failure.
func (r *Reader) End() (rest []byte, ok bool) { return r.Rest, !r.Failed }

// Done reports whether the whole record was read without a failure.
func (r *Reader) Done() bool { return !r.Failed && len(r.Rest) == 0 }

// Take returns the next n bytes, which are a part of the record.
func (r *Reader) Take(n uint64) []byte {
	if r.Failed || n > uint64(len(r.Rest)) {
		r.Fail()
		return nil
	}
	taken := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return taken
}

// Byte returns the next byte.
func (r *Reader) Byte() byte {
	if b := r.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Bool returns the next byte as AppendBool has written it.
func (r *Reader) Bool() bool {
	b := r.Byte()
	if b > 1 {
		r.Fail()
	}
	return b == 1
}

// Uint64 returns the next 8 bytes, in little-endian order.
func (r *Reader) Uint64() uint64 {
	if b := r.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Uvarint returns the next number, an unsigned varint.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Rest)
	r.skip(n)
	return v
}

// Varint returns the next number, a signed varint.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.Rest)
	r.skip(n)
	return v
}

// skip skips a varint of n bytes; there is none if n is not positive.
func (r *Reader) skip(n int) {
	if n <= 0 {
		r.Fail()
		return
	}
	r.Rest = r.Rest[n:]
}

// Count returns the next number, an unsigned varint of at most a limit.
func (r *Reader) Count(most int) int {
	n := r.Uvarint()
	if n > uint64(most) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Entries returns the next number, that of entries which follow and have at least a number of bytes
// each.
func (r *Reader) Entries(least int) int {
	n := r.Uvarint()
	if n > uint64(len(r.Rest)/least) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Int returns the next number, an unsigned varint that fits into 32 bits with a sign.
func (r *Reader) Int() int { return r.Count(math.MaxInt32) }

// Bytes returns what AppendString has written, as a part of the record.
func (r *Reader) Bytes() []byte { return r.Take(r.Uvarint()) }

// String returns what AppendString has written.
func (r *Reader) String() string { return r.TakeString(r.Uvarint()) }

// TakeString is Take for a string.
func (r *Reader) TakeString(n uint64) string {
	b := r.Take(n)
	if r.text == "" {
		return string(b)
	}
	end := len(r.text) - len(r.Rest)
	return r.text[end-len(b) : end]
}
