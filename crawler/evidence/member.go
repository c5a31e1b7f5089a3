package evidence

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Limits on what is read of a file, which may be a stranger's.
const (
	maxHead      = 1 << 20 // bytes of a header, of a record or in a block
	maxFields    = 1000    // fields of a header
	maxEventSize = 64 << 20
)

// partSize is the size of the parts in which a file is read.
const partSize = 64 << 10

// errDamaged is the error for a member that is no whole record. Nothing behind it can be read.
var errDamaged = errors.New("the file is damaged")

// member is one record in a file. Its block must be read before the next one.
type member struct {
	offset int64
	header textproto.MIMEHeader
	block  *io.LimitedReader
	lines  *bufio.Reader // of the block; see text
}

// text returns a reader of the block for which it need not be read in large parts.
func (m *member) text() *bufio.Reader {
	m.lines.Reset(m.block)
	return m.lines
}

func (m *member) field(name string) string { return strings.TrimSpace(m.header.Get(name)) }

func (m *member) date() time.Time {
	at, _ := time.Parse(time.RFC3339Nano, m.field("WARC-Date")) // zero if it is none
	return at
}

// members reads the gzip members of a file, one record in each.
type members struct {
	count countingReader
	in    *bufio.Reader
	z     *gzip.Reader
	lines *bufio.Reader
	text  *bufio.Reader
	base  int64
	last  *member
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// readMembers reads members from r, which begins at an offset of the file, in parts of a size.
func readMembers(r io.Reader, base int64, size int) *members {
	m := &members{base: base, z: new(gzip.Reader), lines: bufio.NewReaderSize(nil, 4<<10), text: bufio.NewReaderSize(nil, 4<<10)}
	m.count.r = r
	m.in = bufio.NewReaderSize(&m.count, size)
	return m
}

// offset is the offset of the next member once the last one was ended.
func (m *members) offset() int64 { return m.base + m.count.n - int64(m.in.Buffered()) }

// end reads the rest of a member, which must end after its block.
func (m *members) end() error {
	if m.last == nil {
		return nil
	}
	last := m.last
	m.last = nil
	if _, err := io.Copy(io.Discard, last.block); err != nil {
		return err
	}
	rest, err := io.ReadAll(io.LimitReader(m.lines, 5))
	if err == nil && (last.block.N > 0 || string(rest) != "\r\n\r\n") {
		err = errDamaged
	}
	return err
}

// next returns the next member, io.EOF after the last one.
func (m *members) next() (*member, error) {
	if err := m.end(); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	offset := m.offset()
	if _, err := m.in.Peek(1); err == io.EOF {
		return nil, io.EOF
	}
	if err := m.z.Reset(m.in); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	m.z.Multistream(false)
	m.lines.Reset(m.z)
	header, first, err := readHeader(m.lines)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	length, err := strconv.ParseInt(strings.TrimSpace(header.Get("Content-Length")), 10, 64)
	if err != nil || length < 0 || !strings.HasPrefix(first, "WARC/1.") {
		return nil, errDamaged
	}
	m.last = &member{offset: offset, header: header, block: &io.LimitedReader{R: m.lines, N: length}, lines: m.text}
	return m.last, nil
}

// readHeader reads a first line, fields and the empty line behind them.
func readHeader(r *bufio.Reader) (fields textproto.MIMEHeader, first string, err error) {
	size := 0
	line := func() (string, error) {
		var text []byte
		for {
			part, err := r.ReadSlice('\n')
			if size += len(part); size > maxHead {
				return "", errors.New("a header is too long")
			}
			text = append(text, part...)
			if err != bufio.ErrBufferFull {
				return strings.TrimRight(string(text), "\r\n"), err
			}
		}
	}
	if first, err = line(); err != nil {
		return nil, "", err
	}
	fields = textproto.MIMEHeader{}
	last := ""
	for n := 0; ; n++ {
		text, err := line()
		switch {
		case text == "" && err == nil:
			return fields, first, nil
		case err != nil:
			return nil, "", err
		case n == maxFields:
			return nil, "", errors.New("a header has too many fields")
		}
		if (text[0] == ' ' || text[0] == '\t') && last != "" { // a folded line
			values := fields[last]
			values[len(values)-1] += " " + strings.TrimSpace(text)
			continue
		}
		name, value, _ := strings.Cut(text, ":")
		last = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		fields[last] = append(fields[last], strings.TrimSpace(value))
	}
}

// section is the place of a member in a file.
type section struct{ offset, length int64 }

// open reads the record of a section again.
func (s section) open(file io.ReaderAt) (*member, error) {
	return readMembers(io.NewSectionReader(file, s.offset, s.length), s.offset, int(min(s.length, partSize))).next()
}
