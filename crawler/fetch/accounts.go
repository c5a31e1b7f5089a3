package fetch

import (
	"errors"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// account is a user name and its password.
type account struct{ name, password string }

// accounts holds the accounts to use for each host; other hosts get none. User names
// and passwords in the URLs of pages are never used, because a page must not be able to
// make the crawler log in.
type accounts struct {
	origins  *Origins
	start    *account // for the start targets
	logins   []login
	machines map[string]account // from netrc, keyed by host
	fallback *account           // netrc's default entry, for the start targets
	anyPort  bool               // entries of netrc are for all ports
}

// login is the account of a start target.
type login struct {
	origins *Origins
	account account
}

func newAccounts(config HTTPConfig) (accounts, error) {
	a := accounts{origins: config.Origins, anyPort: config.NetrcAnyPort}
	for _, l := range config.Logins {
		name, password, _ := strings.Cut(l.Credentials, ":")
		a.logins = append(a.logins, login{NewOrigins(l.URL), account{name, password}})
	}
	if config.Credentials != "" {
		name, password, ok := strings.Cut(config.Credentials, ":")
		if !ok {
			return a, errors.New("parse credentials: want NAME:PASSWORD")
		}
		a.start = &account{name, password}
	}
	if config.Netrc == "" {
		return a, nil
	}
	var err error
	a.machines, a.fallback, err = readNetrc(config.Netrc)
	return a, err
}

// forURL returns the account for a URL, or nil if there is none.
func (a *accounts) forURL(u urinorm.URL) *account {
	if a.start != nil && a.origins.Has(u) {
		return a.start
	}
	for i := range a.logins {
		if a.logins[i].origins.Has(u) {
			return &a.logins[i].account
		}
	}
	if machine, ok := a.machines[u.Host()]; ok && a.origins.allows(u, a.anyPort) {
		return &machine
	}
	if a.fallback != nil && a.origins.Has(u) {
		return a.fallback
	}
	return nil
}
