package urinorm

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm/internal/idna"
)

func TestShownHost(t *testing.T) {
	for _, host := range []string{"bücher.example", "пример.рф", "пример.example", "日本語テスト.example", "한국漢.example", "שלום.example", "मराठी.example", "a-1.bücher.example"} {
		parsed, _, err := ParseWeb("https://" + host + "/")
		if err != nil {
			t.Fatal(err)
		}
		if !idna.HasALabel(parsed.Host()) {
			t.Errorf("the host of %s is %s, and should be in ASCII", host, parsed.Host())
		}
		if got := ShownHost(parsed.Host()); got != host {
			t.Errorf("%s is shown as %s, want %s", parsed.Host(), got, host)
		}
	}
	for _, host := range []string{"аpple.example", "gооgle.example", "bücher.аpple.example", "日本привет.example", "♥.example"} {
		parsed, _, err := ParseWeb("https://" + host + "/")
		if err != nil {
			t.Fatal(err)
		}
		if got := ShownHost(parsed.Host()); got != parsed.Host() {
			t.Errorf("%s of several scripts is shown as %s", parsed.Host(), got)
		}
	}
	for _, host := range []string{"", "example.com", "xn--a.example", "xn--", "[::1]", "127.0.0.1"} {
		if got := ShownHost(host); got != host {
			t.Errorf("%q is shown as %q", host, got)
		}
	}
}
