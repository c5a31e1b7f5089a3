package urinorm

import (
	"errors"
	"strings"
	"testing"
)

func TestParseDataURL(t *testing.T) {
	tests := []struct {
		in, mime, body string
		err            error
	}{
		{"data:,A%20brief%20note", "text/plain;charset=US-ASCII", "A brief note", nil},
		{"DATA:text/html,<b>#x", "text/html", "<b>", nil},
		{"data:image/png;base64,aGk=", "image/png", "hi", nil},
		{"data:image/png;base64,a Gk", "image/png", "hi", nil},
		{"data:image/png;base64,aGk%3D", "image/png", "hi", nil},
		{"data:image/png;  BASE64,aGl=", "image/png", "hi", nil}, // the remaining bits are ignored
		{"data:;base64,", "text/plain;charset=US-ASCII", "", nil},
		{"data:base64,aGk=", "text/plain;charset=US-ASCII", "aGk=", nil},
		{"data:;base64,a", "", "", ErrDataBase64},
		{"data:;base64,aGk==", "", "", ErrDataBase64},
		{"data:;base64,====", "", "", ErrDataBase64},
		{"data:;base64,a-_b", "", "", ErrDataBase64},
		{"data:text/plain", "", "", ErrDataComma},
		{"data:text/plain#,", "", "", ErrDataComma},
		{"http://h/,", "", "", ErrDataScheme},
		{"data:," + strings.Repeat("a", MaxReference), "", "", ErrTooLong},
	}
	for _, test := range tests {
		d, err := ParseDataURL(test.in)
		if !errors.Is(err, test.err) {
			t.Errorf("%.60q: %v, want %v", test.in, err, test.err)
		}
		if err == nil && (d.Type.String() != test.mime || string(d.Body) != test.body) {
			t.Errorf("%.60q: %v %q", test.in, d.Type, d.Body)
		}
	}
}
