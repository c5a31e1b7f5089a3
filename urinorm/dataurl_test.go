package urinorm

import (
	"errors"
	"testing"
)

func TestCheckData(t *testing.T) {
	tests := []struct {
		rest string
		err  error
	}{
		{",A%20brief%20note", nil},
		{"text/html,<b>#x", nil},
		{"image/png;base64,aGk=", nil},
		{"image/png;base64,a Gk", nil},
		{"image/png;base64,aGk%3D", nil},
		{"image/png;  BASE64,aGl=", nil}, // the remaining bits are ignored
		{";base64,", nil},
		{"base64,aGk=", nil}, // a malformed media type
		{"base64,a", nil},    // likewise, so the data is a text
		{";base64,a", errDataBase64},
		{";base64,aGk==", errDataBase64},
		{";base64,====", errDataBase64},
		{";base64,a-_b", errDataBase64},
		{"text/plain", errDataComma},
		{"text/plain#,", errDataComma},
	}
	for _, test := range tests {
		if err := CheckSyntax("data", test.rest); !errors.Is(err, test.err) {
			t.Errorf("data:%s: got %v, want %v", test.rest, err, test.err)
		}
	}
}
