package urinorm

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
)

// DataURL is what a data: URL holds.
type DataURL struct {
	Type MIMEType
	Body []byte
}

// The causes for which a data: URL holds nothing.
var (
	// ErrDataComma is a data: URL without the ',' before its body.
	ErrDataComma = errors.New("no comma before the data")
	// ErrDataBase64 is a body that is declared as base64 and is none.
	ErrDataBase64 = errors.New("the data is no base64")
	// ErrDataScheme is a URL of another scheme.
	ErrDataScheme = errors.New(`the scheme is not "data"`)
)

// ParseDataURL reads a data: URL (Fetch Standard 6, "data: URL processor"). href
// is the URL as the URL Standard serialises it, [URL.String]; its fragment is
// left aside. A media type that is malformed or missing is text/plain in
// US-ASCII.
func ParseDataURL(href string) (DataURL, error) {
	if len(href) > MaxReference {
		return DataURL{}, newError("parse", href, ErrTooLong)
	}
	d, err := parseDataURL(href)
	if err != nil {
		return DataURL{}, newError("parse", href, err)
	}
	return d, nil
}

func parseDataURL(href string) (DataURL, error) {
	href, _, _ = strings.Cut(href, "#")
	const prefix = len("data:")
	if len(href) < prefix || !strings.EqualFold(href[:prefix], "data:") {
		return DataURL{}, ErrDataScheme
	}
	mediaType, encoded, found := strings.Cut(href[prefix:], ",")
	if !found {
		return DataURL{}, ErrDataComma
	}
	mediaType = strings.Trim(mediaType, "\t\n\f\r ")
	body := []byte(rfcPercentDecode(encoded))
	if declared, ok := cutBase64(mediaType); ok {
		mediaType = declared
		var err error
		if body, err = forgivingBase64(body); err != nil {
			return DataURL{}, err
		}
	}
	if strings.HasPrefix(mediaType, ";") {
		mediaType = "text/plain" + mediaType
	}
	m, ok := ParseMIME(mediaType)
	if !ok {
		m = MIMEType{Type: "text", Subtype: "plain", Params: []MIMEParam{{"charset", "US-ASCII"}}}
	}
	return DataURL{m, body}, nil
}

// cutBase64 takes ";base64" off the end of a media type: ';', any blanks, and the
// word in any case.
func cutBase64(mediaType string) (string, bool) {
	const word = "base64"
	at := len(mediaType) - len(word)
	if at < 0 || !strings.EqualFold(mediaType[at:], word) {
		return "", false
	}
	return strings.CutSuffix(strings.TrimRight(mediaType[:at], " "), ";")
}

// forgivingBase64 decodes as the Infra Standard says (forgiving-base64 decode):
// whitespace does not count, padding may be missing, the bits left over at the
// end may be anything.
func forgivingBase64(data []byte) ([]byte, error) {
	kept := data[:0]
	for _, c := range data {
		if strings.IndexByte("\t\n\f\r ", c) < 0 {
			kept = append(kept, c)
		}
	}
	if len(kept)%4 == 0 {
		kept = bytes.TrimSuffix(bytes.TrimSuffix(kept, []byte("=")), []byte("="))
	}
	decoded := make([]byte, base64.RawStdEncoding.DecodedLen(len(kept)))
	n, err := base64.RawStdEncoding.Decode(decoded, kept)
	if err != nil {
		return nil, ErrDataBase64
	}
	return decoded[:n], nil
}
