package rules

import (
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

func TestSignsOut(t *testing.T) {
	for url, want := range map[string]bool{
		"https://a.test/logout":                                true,
		"https://a.test/users/sign_out":                        true,
		"https://a.test/Account/LogOff.aspx":                   true,
		"https://a.test/wp-login.php?action=logout&_wpnonce=1": true,
		"https://a.test/index.php?do=delete&id=7":              true,
		"https://a.test/?logout":                               true,
		"https://a.test/?logout=1":                             true,
		"https://a.test/items/7/delete":                        true,
		"https://a.test/index.php?title=Special:UserLogout":    true,
		"https://a.test/docs/how-to-logout":                    false,
		"https://a.test/docs/delete-a-file.html":               false,
		"https://a.test/wiki/Special:UserLogout":               true,
		"https://a.test/login":                                 false,
		"https://a.test/?q=logout":                             false,
		"https://logout.test/":                                 false,
		"https://a.test/?action=view&tab=deleted":              false,
	} {
		if got := signsOut(HrefOf(parseHref(t, url))); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}

func parseHref(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
