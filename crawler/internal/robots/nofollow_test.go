package robots

import (
	"net/http"
	"testing"
)

func TestNoFollowHeader(t *testing.T) {
	for _, row := range []struct {
		values []string
		want   bool
	}{
		{nil, false},
		{[]string{"noindex"}, false},
		{[]string{"nofollow"}, true},
		{[]string{"noindex, NoFollow"}, true},
		{[]string{"none"}, true},
		{[]string{"noindex", "nofollow"}, true},
		{[]string{"otherbot: nofollow"}, false},
		{[]string{"otherbot: noindex, nofollow"}, false},
		{[]string{"Orbweaver: nofollow"}, true},
		{[]string{"otherbot: noindex, orbweaver: nofollow"}, true},
		{[]string{"unavailable_after: 25 Jun 2010 15:00:00 PST"}, false},
		{[]string{"max-snippet: 20, nofollow"}, true},
		{[]string{""}, false},
	} {
		if got := NoFollowHeader(http.Header{"X-Robots-Tag": row.values}, "orbweaver"); got != row.want {
			t.Errorf("X-Robots-Tag: %q = %v, want %v", row.values, got, row.want)
		}
	}
}

func TestNoIndexHeader(t *testing.T) {
	for value, want := range map[string]bool{
		"noindex": true, "none": true, "nofollow": false, "otherbot: noindex": false, "max-snippet: 20, NoIndex": true,
	} {
		if got := NoIndexHeader(http.Header{"X-Robots-Tag": {value}}); got != want {
			t.Errorf("X-Robots-Tag: %q = %v, want %v", value, got, want)
		}
	}
}
