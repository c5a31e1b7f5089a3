package formlogin

import (
	"net/url"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// SignInPage is what tells the sign-in page of a login from other pages. It does not
// change; the zero value recognizes nothing.
type SignInPage struct {
	addresses []string // as addressOf has them
	passwords []string // names of password fields
	actions   []string // where its forms are sent
}

// with returns a SignInPage that also knows a form, and the page of it.
func (p SignInPage) with(login urinorm.URL, f *Form) SignInPage {
	p = p.withAddress(login, login).withAddress(login, f.page.URL)
	// Where only the query tells the page from others, all forms may be sent to one address.
	if to, ok := f.action(); ok && (addressOf(to) == addressOf(f.page.URL) || to.Path() != f.page.URL.Path()) {
		p.actions = added(p.actions, addressOf(to))
	}
	if c := f.password(); c != nil {
		p.passwords = added(p.passwords, c.name)
	}
	return p
}

// withAddress returns a SignInPage that also has the address that a URL led to. A URL that
// led nowhere else is not an address of the sign-in page: it shows other things, too, once
// somebody is signed in. The login's own is one.
func (p SignInPage) withAddress(asked, reached urinorm.URL) SignInPage {
	if len(p.addresses) == 0 || addressOf(asked) != addressOf(reached) {
		p.addresses = added(p.addresses, addressOf(reached))
	}
	return p
}

// added returns a list with one more string, without changing the array of the list.
func added(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(slices.Clip(list), s)
}

// addressOf returns what tells a sign-in page from others: the origin, the path, and the
// fields of the query that name signing in, as "do=login" and "title=Special:UserLogin". The
// rest of its query names the page to return to.
func addressOf(u urinorm.URL) string {
	address := originOf(u) + u.Path()
	query, _ := u.Query()
	for field := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(field, "=")
		if value, err := url.QueryUnescape(value); err == nil && !strings.HasPrefix(value, "/") && !strings.Contains(value, "://") &&
			judging.IsLoginPath(value[strings.LastIndexByte(value, ':')+1:]) {
			address += "?" + name + "=" + value
		}
	}
	return address
}

// isAddress reports whether a URL is that of the sign-in page, whatever page it returns to.
func (p SignInPage) isAddress(u urinorm.URL) bool {
	return !u.IsZero() && slices.Contains(p.addresses, addressOf(u))
}

// is reports whether a page has the form of the sign-in page: the same password field, or
// another one that is sent to the same address.
func (p SignInPage) is(page *Page) bool {
	for _, f := range page.forms {
		to, ok := f.action()
		sameAction := ok && slices.Contains(p.actions, addressOf(to))
		switch n := f.passwords(); {
		case n == 1 && !f.setsPassword() && (sameAction || slices.Contains(p.passwords, f.password().name)):
			return true
		case n == 0 && sameAction && p.isAddress(page.URL): // the first form of two asks for the user name only
			return true
		}
	}
	return false
}

// isZero reports whether nothing is known of the sign-in page.
func (p SignInPage) isZero() bool { return len(p.addresses) == 0 }
