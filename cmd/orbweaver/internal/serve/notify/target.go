package notify

import (
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Target is where a project wants its events to go.
type Target struct {
	Type   string   `json:"type"`             // webhook, slack or email
	URL    string   `json:"url,omitempty"`    // of a webhook or slack
	Secret string   `json:"secret,omitempty"` // of a webhook, which signs with it
	To     string   `json:"to,omitempty"`     // addresses of an email, with commas between them
	On     []string `json:"on,omitempty"`     // the kinds of events; none means all
}

// Wants reports whether a target gets events of a kind.
func (t *Target) Wants(kind Kind) bool {
	return kind == Test || len(t.On) == 0 || slices.Contains(t.On, string(kind))
}

// Limits on targets.
const (
	MaxTargets    = 20 // of a project
	maxURL        = 2000
	maxSecret     = 1000
	maxRecipients = 20
)

// FieldError is a fault of one member of a target.
type FieldError struct {
	Field   string // such as "url"
	Message string
}

// Validate returns the faults of a target, in the order of its members. The address of a
// webhook is judged here only if it is written as an address; names are judged when
// connecting. mail says whether the server can send mail.
func (t *Target) Validate(policy *fetch.AddressPolicy, mail bool) (faults []FieldError) {
	fault := func(field string, err error) {
		if err != nil {
			faults = append(faults, FieldError{field, err.Error()})
		}
	}
	unused := func(field, value string) {
		if value != "" {
			fault(field, fmt.Errorf("a target of type %s has no %s", t.Type, field))
		}
	}
	switch t.Type {
	case "webhook", "slack":
		fault("url", checkURL(t.URL, policy))
		if t.Type == "slack" {
			unused("secret", t.Secret)
		} else if len(t.Secret) > maxSecret {
			fault("secret", fmt.Errorf("use at most %d bytes", maxSecret))
		}
		unused("to", t.To)
	case "email":
		unused("url", t.URL)
		unused("secret", t.Secret)
		_, err := recipients(t.To)
		fault("to", err)
		if err == nil && !mail {
			fault("to", errors.New("this server cannot send mail: its administrator has to set --smtp"))
		}
	default:
		fault("type", fmt.Errorf("unknown type %q: use webhook, slack or email", t.Type))
	}
	for _, kind := range t.On {
		if kind != string(New) && kind != string(Fixed) && kind != string(Unsound) {
			fault("on", fmt.Errorf("unknown event %q: use new, fixed or unsound", kind))
			break
		}
	}
	return faults
}

// checkURL checks the address of a webhook.
func checkURL(address string, policy *fetch.AddressPolicy) error {
	if len(address) > maxURL {
		return fmt.Errorf("use at most %d bytes", maxURL)
	}
	u, _, err := urinorm.ParseWeb(address)
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" || u.Host() == "" {
		return errors.New("use an absolute http or https URL")
	}
	if u.HasUserinfo() {
		return errors.New("use a URL without a user name and a password")
	}
	if reason := fetch.BlockedPort(u.EffectivePort()); reason != "" {
		return errors.New(reason)
	}
	if addr, err := netip.ParseAddr(strings.Trim(strings.TrimSuffix(u.Host(), "."), "[]")); err == nil && policy.Denies(addr) {
		return errors.New("address-denied: " + fetch.ErrAddressDenied.Error())
	}
	return nil
}

// hidden stands for the path and the query of an address, which are secrets.
const hidden = "/***"

// HideURL returns what is shown of an address: its scheme and host. Addresses of the same scheme,
// host and port have the same.
func HideURL(address string) string {
	if address == "" {
		return ""
	}
	u, _, err := urinorm.ParseWeb(address)
	if err != nil || u.Host() == "" {
		return hidden[1:]
	}
	host := u.Host()
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	return u.Scheme() + "://" + host + hidden
}

// IsHidden reports whether an address is one that HideURL returned.
func IsHidden(address string) bool {
	u, _, err := urinorm.ParseWeb(address)
	return err == nil && u.RequestTarget() == hidden
}

// recipients parses the addresses of an email.
func recipients(to string) ([]*mail.Address, error) {
	if len(to) > maxURL {
		return nil, fmt.Errorf("use at most %d bytes", maxURL)
	}
	list, err := mail.ParseAddressList(to)
	if err != nil || strings.ContainsAny(to, "\r\n") {
		return nil, errors.New("use a mail address, such as team@example.com, or several with commas between them")
	}
	if len(list) > maxRecipients {
		return nil, fmt.Errorf("use at most %d addresses", maxRecipients)
	}
	return list, nil
}
