package fetch

import (
	"errors"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// account is a name and its password.
type account struct{ name, password string }

// accounts says which account goes to which host; nothing goes to any other. User
// names and passwords within URLs of pages are not among them: a page must not be
// able to make us log in.
type accounts struct {
	internal *account           // given for the internal hosts
	logins   map[string]account // by authority, for internal hosts
	machines map[string]account // by host, from netrc
	fallback *account           // netrc's default, for the internal hosts
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

// forURL returns the account for a URL's host, nil for none.
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
