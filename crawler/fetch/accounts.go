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
	internal *account           // for the internal hosts
	logins   map[string]account // for internal hosts, keyed by authority
	machines map[string]account // from netrc, keyed by host
	fallback *account           // netrc's default entry, for the internal hosts
}

func newAccounts(credentials string, logins map[string]string, netrc string) (accounts, error) {
	a := accounts{logins: make(map[string]account, len(logins))}
	for authority, login := range logins {
		name, password, _ := strings.Cut(login, ":")
		a.logins[authority] = account{name, password}
	}
	if credentials != "" {
		name, password, ok := strings.Cut(credentials, ":")
		if !ok {
			return a, errors.New("parse credentials: want NAME:PASSWORD")
		}
		a.internal = &account{name, password}
	}
	if netrc == "" {
		return a, nil
	}
	var err error
	a.machines, a.fallback, err = readNetrc(netrc)
	return a, err
}

// forURL returns the account for a URL's host, or nil if there is none.
func (a *accounts) forURL(u urinorm.URL, internal bool) *account {
	if internal && a.internal != nil {
		return a.internal
	}
	if login, ok := a.logins[u.Authority()]; ok && internal {
		return &login
	}
	if machine, ok := a.machines[u.Host()]; ok {
		return &machine
	}
	if internal {
		return a.fallback
	}
	return nil
}
