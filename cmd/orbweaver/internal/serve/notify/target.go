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

// Target is where a project wants its events to go. Which members it has depends on its type, see
// Types.
type Target struct {
	Type   string   `json:"type"`
	URL    string   `json:"url,omitempty"`    // where messages are sent, or the base of that
	Secret string   `json:"secret,omitempty"` // of a webhook, which signs with it
	Token  string   `json:"token,omitempty"`  // that lets one send
	To     string   `json:"to,omitempty"`     // addresses of an email, with commas between them
	Topic  string   `json:"topic,omitempty"`  // of ntfy
	Chat   string   `json:"chat,omitempty"`   // of Telegram
	Room   string   `json:"room,omitempty"`   // of Matrix
	On     []string `json:"on,omitempty"`     // the kinds of events; none means all
}

// Types are the types of targets.
var Types = []string{"webhook", "slack", "email", "teams", "discord", "mattermost", "gotify", "ntfy", "telegram", "matrix"}

// membersOf returns the members that a target of a type must and may have.
func membersOf(kind string) (needs, takes []string) {
	switch kind {
	case "webhook":
		return []string{"url"}, []string{"secret"}
	case "slack":
		return []string{"url"}, nil
	case "email":
		return []string{"to"}, nil
	}
	return channels[kind].needs, channels[kind].takes
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
	if !slices.Contains(Types, t.Type) {
		fault("type", fmt.Errorf("unknown type %q: use %s", t.Type, strings.Join(Types, ", ")))
		return faults
	}
	needs, takes := membersOf(t.Type)
	for _, m := range []struct {
		name, value string
		check       func(string) error
	}{
		{"url", t.URL, func(url string) error { return checkURL(url, policy) }}, {"secret", t.Secret, checkSecret}, {"token", t.Token, checkWord},
		{"to", t.To, func(to string) error { return checkTo(to, mail) }}, {"topic", t.Topic, checkTopic}, {"chat", t.Chat, checkWord}, {"room", t.Room, checkWord},
	} {
		switch needed := slices.Contains(needs, m.name); {
		case needed && m.value == "":
			fault(m.name, errors.New("it is missing"))
		case needed || m.value != "" && slices.Contains(takes, m.name):
			fault(m.name, m.check(m.value))
		case m.value != "":
			fault(m.name, fmt.Errorf("a target of type %s has no %s", t.Type, m.name))
		}
	}
	for _, kind := range t.On {
		if kind != string(New) && kind != string(Fixed) && kind != string(Unsound) {
			fault("on", fmt.Errorf("unknown event %q: use new, fixed or unsound", kind))
			break
		}
	}
	return faults
}

func checkSecret(secret string) error {
	if len(secret) > maxSecret {
		return fmt.Errorf("use at most %d bytes", maxSecret)
	}
	return nil
}

// checkWord checks what becomes part of an address or a field of a request.
func checkWord(word string) error {
	if strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("use ASCII characters without spaces")
	}
	return checkSecret(word)
}

func checkTopic(topic string) error {
	if len(topic) > 64 || strings.ContainsFunc(topic, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) {
		return errors.New("use 1 to 64 letters, digits, - and _")
	}
	return nil
}

func checkTo(to string, mail bool) error {
	_, err := recipients(to)
	if err == nil && !mail {
		err = errors.New("this server cannot send mail: its administrator has to set --smtp")
	}
	return err
}

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
