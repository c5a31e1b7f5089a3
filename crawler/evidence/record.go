package evidence

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Types of records (WARC 1.1 section 6).
const (
	typeInfo     = "warcinfo"
	typeResponse = "response"
	typeRequest  = "request"
	typeRevisit  = "revisit"
	typeMetadata = "metadata"
)

// Media types of blocks.
const (
	mediaResponse = "application/http; msgtype=response"
	mediaRequest  = "application/http; msgtype=request"
	mediaFields   = "application/warc-fields"
	mediaJSON     = "application/json"
)

// revisitProfile says that a payload is that of an earlier record (WARC 1.1 section 6.7.2).
const revisitProfile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

// factsField has what a replay needs of an exchange besides the answer, as JSON.
const factsField = "Orbweaver-Exchange"

// field is one field of a record's header.
type field struct{ name, value string }

// record is a record that is to be written. Its digest and length are computed.
type record struct {
	kind, id, uri string // no uri for warcinfo
	date          time.Time
	media         string
	fields        []field
	head          []byte // the block, or its beginning
	body          *spool // the rest of the block; nil for nothing
	compression   compression
}

// entry returns what is to be known of the record once it is written.
func (r *record) entry(f *facts) *entry {
	return &entry{kind: r.kind, id: r.id, uri: r.uri, date: r.date.Truncate(time.Microsecond), facts: *f}
}

// newID returns a random record ID (RFC 9562 version 4).
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	id := hex.AppendEncode(append(make([]byte, 0, 50), "<urn:uuid:"...), b[:4])
	for at := 4; at < 10; at += 2 {
		id = hex.AppendEncode(append(id, '-'), b[at:at+2])
	}
	return string(append(hex.AppendEncode(append(id, '-'), b[10:]), '>'))
}

// formatDate returns a WARC-Date.
func formatDate(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

func formatDigest(h hash.Hash) string {
	return string(hex.AppendEncode(append(make([]byte, 0, 80), "sha256:"...), h.Sum(nil)))
}

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// heads has memory for the headers of records.
var heads = sync.Pool{New: func() any {
	memory := make([]byte, 0, 2<<10)
	return &memory
}}

// write writes the record as one gzip member.
func (r *record) write(w io.Writer) error {
	digest, length := sha256.New(), int64(len(r.head))
	digest.Write(r.head)
	if r.body != nil {
		length += r.body.size
		if err := r.body.writeTo(digest); err != nil {
			return err
		}
	}
	memory := heads.Get().(*[]byte)
	defer heads.Put(memory)
	b := append((*memory)[:0], "WARC/1.1\r\n"...)
	b = appendField(b, "WARC-Type", r.kind)
	b = appendField(b, "WARC-Record-ID", r.id)
	b = appendField(b, "WARC-Date", formatDate(r.date))
	if r.uri != "" {
		b = appendField(b, "WARC-Target-URI", r.uri)
	}
	for _, f := range r.fields {
		b = appendField(b, f.name, f.value)
	}
	b = appendField(b, "WARC-Block-Digest", formatDigest(digest))
	b = appendField(b, "Content-Type", r.media)
	b = appendField(b, "Content-Length", strconv.FormatInt(length, 10))
	b = append(append(b, "\r\n"...), r.head...)
	*memory = b
	pool := compressors[r.compression.of(length)]
	z := pool.Get().(*gzip.Writer)
	defer pool.Put(z)
	z.Reset(w)
	if _, err := z.Write(b); err != nil {
		return err
	}
	if r.body != nil {
		if err := r.body.writeTo(z); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(z, "\r\n\r\n"); err != nil {
		return err
	}
	return z.Close()
}

// appendField appends a field of a header, of a record or in a block.
func appendField(b []byte, name, value string) []byte {
	b = append(append(b, oneLine(name)...), ": "...)
	return append(append(b, oneLine(value)...), "\r\n"...)
}

// oneLine returns a text without the characters that would end a field.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\r\n\x00") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, s)
}

// aboutField is the field of a warcinfo record with what a replay needs to know of the run.
const aboutField = "orbweaver: "

// infoRecord returns the first record of a file.
func infoRecord(software string, at time.Time, about ...aboutRun) *record {
	text := "software: " + software + "\r\nformat: WARC File Format 1.1\r\nconformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
	for _, run := range about {
		known, _ := json.Marshal(run) // it has an encoding
		text += aboutField + string(known) + "\r\n"
	}
	return &record{kind: typeInfo, id: newID(), date: at, media: mediaFields, head: []byte(text)}
}

// jsonRecord returns a metadata record. v has an encoding.
func jsonRecord(id, uri string, at time.Time, v any) *record {
	text, _ := json.Marshal(v)
	return &record{kind: typeMetadata, id: id, uri: uri, date: at, media: mediaJSON, head: text}
}
