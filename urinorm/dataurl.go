package urinorm

import (
	"encoding/base64"
	"errors"
	"strings"
)

// The causes for which a data: URL is rejected.
var (
	errDataComma  = errors.New("comma before the data is missing")
	errDataBase64 = errors.New("the data is not base64")
)

// checkData checks a data: URL (Fetch Standard 6, "data: URL processor"), of which any media type
// is accepted: a browser takes the default one for a malformed one.
func checkData(rest string) error {
	rest, _, _ = strings.Cut(rest, "#")
	mediaType, encoded, found := strings.Cut(rest, ",")
	if !found {
		return errDataComma
	}
	if endsInBase64(strings.Trim(mediaType, "\t\n\f\r ")) && !isForgivingBase64(percentDecode(encoded)) {
		return errDataBase64
	}
	return nil
}

// endsInBase64 reports whether a media type ends in ";base64": ';', any spaces, and the word in any
// case.
func endsInBase64(mediaType string) bool {
	const word = "base64"
	at := len(mediaType) - len(word)
	return at >= 0 && strings.EqualFold(mediaType[at:], word) && strings.HasSuffix(strings.TrimRight(mediaType[:at], " "), ";")
}

// dataSpace removes the white space that base64 may have.
var dataSpace = strings.NewReplacer("\t", "", "\n", "", "\f", "", "\r", "", " ", "")

// isForgivingBase64 reports whether data is base64 (Infra Standard, forgiving-base64 decode): white
// space is ignored, padding is optional, and the remaining bits at the end are ignored.
func isForgivingBase64(data string) bool {
	data = dataSpace.Replace(data)
	if len(data)%4 == 0 {
		data = strings.TrimSuffix(strings.TrimSuffix(data, "="), "=")
	}
	_, err := base64.RawStdEncoding.DecodeString(data)
	return err == nil
}
