package extract

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// mailFormat is the format of mail messages (RFC 5322 and RFC 2045 to 2049, MIME). Links
// come from the text and HTML parts, including those of enclosed messages, and from the
// URLs in List- fields (RFC 2369). The position of a link is where it is written, even in
// quoted-printable text. In a base64 part, or in one whose charset is neither UTF-8 nor
// compatible with ASCII, it is the beginning of the part. Anchors are those of the HTML
// parts. Attachments are ignored.
var mailFormat = format{
	name:       "mail",
	media:      []string{"message/rfc822", "message/global"},
	extensions: []string{"eml"},
	onlyNamed:  true,
	charset:    textCharset,
	read:       readMail,
}

// Limits of one message.
const (
	maxMailNesting = 20      // nested multipart bodies and messages
	maxMailParts   = 1000    // parts
	maxHeader      = 1 << 20 // bytes of the header of one part
)

type mailReader struct {
	*harvest
	in    *Input
	parts int
}

func readMail(h *harvest, in *Input) {
	h.doc.Static = true
	r := mailReader{harvest: h, in: in}
	r.message(span{0, len(h.src.text)}, 0)
}

// field is a header field.
type field struct {
	name string // in lower case
	at   span   // the value as written
}

// header reads the header fields at the beginning of a part and returns the start of its
// body.
func (r *mailReader) header(part span) (fields []field, body int) {
	b := r.src.text
	i := part.start
	for i < part.end {
		end := min(endOfLine(b, i), part.end)
		next := min(nextLine(b, i), part.end)
		if end == i {
			return fields, next
		}
		if next-part.start > maxHeader {
			r.fault("read mail: a header is longer than %d bytes", maxHeader)
			return fields, part.end
		}
		line := b[i:end]
		if (line[0] == ' ' || line[0] == '\t') && len(fields) > 0 {
			fields[len(fields)-1].at.end = end
		} else if colon := bytes.IndexByte(line, ':'); colon > 0 {
			fields = append(fields, field{strings.ToLower(strings.TrimSpace(string(line[:colon]))), span{i + colon + 1, end}})
		}
		i = next
	}
	return fields, part.end
}

// maxField limits how much of the value of a field get returns, in bytes.
const maxField = 10_000

// get returns the unfolded value of a field, or "" if the field is missing.
func (r *mailReader) get(fields []field, name string) string {
	for _, f := range fields {
		if f.name == name {
			value := r.src.text[f.at.start:min(f.at.end, f.at.start+maxField)]
			return strings.Join(strings.Fields(string(value)), " ")
		}
	}
	return ""
}

// message reads a message, which may be enclosed in another one.
func (r *mailReader) message(at span, nesting int) {
	fields, body := r.header(at)
	if r.doc.Title == "" {
		subject := r.get(fields, "subject")
		if decoded, err := new(mime.WordDecoder).DecodeHeader(subject); err == nil {
			subject = decoded
		}
		r.doc.Title = string(trimFolded(foldSpace(nil, []byte(subject))))
	}
	for _, f := range fields {
		if strings.HasPrefix(f.name, "list-") && !r.in.AnchorsOnly {
			first := len(r.links)
			v := view{text: r.src.text[f.at.start:f.at.end], parent: &r.src, base: f.at.start}
			r.addBareURIs(&v, markupRules)
			for i := first; i < len(r.links); i++ {
				r.links[i].Element, r.links[i].Kind = f.name, Metadata
			}
		}
	}
	r.part(fields, span{body, at.end}, nesting)
}

// part reads the body of a part according to its header fields.
func (r *mailReader) part(fields []field, body span, nesting int) {
	if r.parts++; r.parts > maxMailParts {
		r.fault("read mail: more than %d parts; the rest are ignored", maxMailParts)
		return
	}
	declared := r.get(fields, "content-type")
	media, parameters, _ := mime.ParseMediaType(declared)
	if media == "" {
		media = "text/plain"
	}
	attached := strings.HasPrefix(strings.ToLower(r.get(fields, "content-disposition")), "attachment")
	switch {
	case strings.HasPrefix(media, "multipart/"):
		r.multipart(parameters["boundary"], body, nesting)
	case media == "message/rfc822" && nesting < maxMailNesting:
		r.message(body, nesting+1)
	case attached:
	case media == "text/html":
		r.text(fields, parameters["charset"], body, func(inner *harvest) { readHTML(inner, &Input{AnchorsOnly: r.in.AnchorsOnly}, asHTML) })
	case media == "text/plain" && !r.in.AnchorsOnly:
		r.text(fields, parameters["charset"], body, func(inner *harvest) {
			inner.doc.Static = true
			inner.addBareURIs(&inner.src, proseRules)
		})
	}
}

// multipart reads the parts between boundary lines (RFC 2046 5.1.1).
func (r *mailReader) multipart(boundary string, body span, nesting int) {
	if boundary == "" || nesting >= maxMailNesting {
		r.fault("read mail: a multipart body has no boundary or is nested deeper than %d", maxMailNesting)
		return
	}
	b, start := r.src.text, -1
	delimiter := []byte("--" + boundary)
	flush := func(end int) {
		if start >= 0 {
			part := span{start, end}
			fields, inner := r.header(part)
			r.part(fields, span{inner, end}, nesting+1)
		}
	}
	for i := body.start; i < body.end; i = nextLine(b, i) {
		line := b[i:min(endOfLine(b, i), body.end)]
		rest, ok := bytes.CutPrefix(line, delimiter)
		if !ok {
			continue
		}
		switch rest = trimSpaceRight(rest); string(rest) {
		case "":
			flush(i)
			start = nextLine(b, i)
		case "--":
			flush(i)
			return
		}
	}
	r.fault("read mail: a multipart body has no closing boundary")
	flush(body.end)
}

// text decodes the transfer encoding and the charset of a text part and reads it.
func (r *mailReader) text(fields []field, label string, body span, read func(inner *harvest)) {
	v := view{text: r.src.text[body.start:body.end], parent: &r.src, base: body.start}
	exact := true
	switch strings.ToLower(r.get(fields, "content-transfer-encoding")) {
	case "quoted-printable":
		v.text, v.marks = unescapeQuotedPrintable(v.text)
	case "base64":
		decoded, err := decodeBase64(v.text)
		if err != nil {
			r.fault("read mail: decode base64: %v", err)
		}
		v.text, exact = decoded, false
	}
	_, name := charset.Lookup(label)
	if name != "" && name != "utf-8" && (!isASCII(v.text) || asciiIncompatible[name]) {
		text, _ := decode(v.text, "text/plain;charset="+name, textCharset)
		// Text that decodes to itself keeps its positions.
		exact = exact && bytes.Equal(text, v.text)
		v.text = text
	}
	if !utf8.Valid(v.text) {
		v.text, exact = validUTF8(v.text), false
	}
	if !exact {
		v.marks = nil
	}
	r.embed(&v, exact, read)
}

// unescapeQuotedPrintable decodes quoted-printable text (RFC 2045 6.7) and returns marks
// that map the result back to src. It leaves invalid escapes as they are.
func unescapeQuotedPrintable(src []byte) (dst []byte, marks []mark) {
	for i := 0; i < len(src); {
		n := bytes.IndexByte(src[i:], '=')
		if n < 0 {
			return append(dst, src[i:]...), marks
		}
		dst = append(dst, src[i:i+n]...)
		i += n
		if end := skipBlanks(src, i+1); end < len(src) && (src[end] == '\n' || src[end] == '\r') {
			i = nextLine(src, end) // a soft line break
		} else if i+2 < len(src) && isHex(src[i+1]) && isHex(src[i+2]) {
			dst = append(dst, hexValue(src[i+1])<<4|hexValue(src[i+2]))
			i += 3
		} else {
			dst = append(dst, '=')
			i++
		}
		marks = append(marks, mark{len(dst), i})
	}
	return dst, marks
}

// decodeBase64 decodes base64 up to the first error. It ignores white space.
func decodeBase64(src []byte) ([]byte, error) {
	clean := make([]byte, 0, len(src))
	for _, c := range src {
		if !isSpace(c) {
			clean = append(clean, c)
		}
	}
	dst := make([]byte, base64.StdEncoding.DecodedLen(len(clean)))
	n, err := base64.StdEncoding.Decode(dst, clean)
	return dst[:n], err
}
