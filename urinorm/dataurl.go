package urinorm

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
)

// DataURL is the content of a data: URL.
type DataURL struct {
	Type MIMEType
	Body []byte
}

// The causes for which [ParseDataURL] rejects a data: URL, besides [ErrTooLong].
var (
	// ErrDataComma: there is no ',' before the body.
	ErrDataComma = errors.New("comma before the data is missing")
	// ErrDataBase64: the body is declared as base64 but is not.
	ErrDataBase64 = errors.New("the data is not base64")
	// ErrDataScheme: the URL has another scheme.
	ErrDataScheme = errors.New(`the scheme is not "data"`)
)

// ParseDataURL parses a data: URL (Fetch Standard 6, "data: URL processor"). href
// is the URL as [URL.String] returns it; its fragment is ignored. If the media
// type is malformed or missing, it is text/plain in US-ASCII.
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
	body := []byte(percentDecode(encoded))
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

// cutBase64 removes ";base64" from the end of a media type: ';', any spaces, and
// the word in any case.
func cutBase64(mediaType string) (string, bool) {
	const word = "base64"
	at := len(mediaType) - len(word)
	if at < 0 || !strings.EqualFold(mediaType[at:], word) {
		return "", false
	}
	return strings.CutSuffix(strings.TrimRight(mediaType[:at], " "), ";")
}

// forgivingBase64 decodes base64 (Infra Standard, forgiving-base64 decode): white
// space is ignored, padding is optional, and the remaining bits at the end are
// ignored.
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
