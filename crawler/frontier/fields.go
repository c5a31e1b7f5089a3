package frontier

import "encoding/binary"

// Fields reads the fields of a record from the start of Rest. After the first failure, Failed is
// set and it returns zero values.
type Fields struct {
	Rest   []byte
	Failed bool
}

// Take returns the next n bytes, which are a part of the record.
func (r *Fields) Take(n uint64) []byte {
	if r.Failed || n > uint64(len(r.Rest)) {
		r.Failed, r.Rest = true, nil
		return nil
	}
	taken := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return taken
}

// Byte returns the next byte.
func (r *Fields) Byte() byte {
	if b := r.Take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uvarint returns the next number, an unsigned varint.
func (r *Fields) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Rest)
	r.skip(n)
	return v
}

// Varint returns the next number, a signed varint.
func (r *Fields) Varint() int64 {
	v, n := binary.Varint(r.Rest)
	r.skip(n)
	return v
}

// skip skips a varint of n bytes; there is none if n is not positive.
func (r *Fields) skip(n int) {
	if n <= 0 {
		r.Failed, r.Rest = true, nil
		return
	}
	r.Rest = r.Rest[n:]
}
