package fetch

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// maxExchangers is the maximum number of mail servers of a domain that are tried.
const maxExchangers = 4

// A MailProber asks mail servers whether they accept mail for an address. It returns nil if one would,
// and otherwise a *Fault, or the error of the context.
type MailProber interface {
	ProbeMail(ctx context.Context, address urinorm.Address) error
}

// ProbeMail asks the mail servers of an address's domain whether they accept mail for
// it: connect, EHLO, MAIL FROM:<>, RCPT TO, QUIT (RFC 5321). It never sends DATA or a
// message. It is only for --mail-probe, because servers do not like probes and their
// answers to strangers prove little. Only the answer that the mailbox does not exist
// counts against the address, as a Fault of kind file-missing. Often servers refuse to
// talk to this machine or are unreachable from it, which leaves the result open: kinds
// file-unreadable, rate-limited, timeout, connection-reset.
//
// ProbeMail returns nil if a server would accept the mail, and for address literals.
func (d *OtherSchemes) ProbeMail(ctx context.Context, address urinorm.Address) error {
	if address.Literal() {
		return nil
	}
	u, _, err := urinorm.ParseWeb("mailto:" + escapeBut(address.String(), "@"))
	if err != nil {
		return &Fault{Kind: "uri-invalid", Op: "probe", Target: address.String(), Err: err}
	}
	row := &schemeFetcher{OtherSchemes: d, scheme: "mailto", port: 25}
	s := row.newSession(ctx, &Request{URL: u})
	defer s.end()
	if strings.ContainsFunc(address.String(), func(r rune) bool { return r < 0x20 || r == 0x7F || r == '<' || r == '>' }) {
		return s.fault("probe", invalidURL(u, "the address "+errControl.Error()))
	}
	hosts, err := s.exchangers(address.Domain)
	if err != nil {
		return s.fault("probe", err)
	}
	var last error
	for _, host := range hosts {
		tried := row.newSession(ctx, s.req)
		err := tried.fault("probe", tried.probeRecipient(host, address))
		tried.end()
		if err == nil || ctx.Err() != nil || isConclusive(err) {
			return err
		}
		last = err
	}
	return last
}

// isConclusive reports whether the answer of a mail server makes it unnecessary to ask
// the next one.
func isConclusive(err error) bool {
	var f *Fault
	return errors.As(err, &f) && (f.Kind == "file-missing" || f.Kind == "uri-invalid")
}

// exchangers returns the hosts that accept a domain's mail, in order of preference, or
// the domain itself if it names none (RFC 5321 section 5.1).
func (s *session) exchangers(domain string) ([]string, error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.by.connector.timeout)
	defer cancel()
	records, err := s.by.records.LookupMX(ctx, strings.TrimSuffix(domain, ".")+".")
	switch {
	case len(records) == 0 && err != nil && !isNotFound(err):
		if s.parent.Err() != nil {
			return nil, context.Cause(s.parent)
		}
		return nil, dnsFault(domain, err)
	case len(records) == 0:
		return []string{domain}, nil
	case len(records) == 1 && strings.Trim(records[0].Host, ".") == "":
		return nil, refusal(s.req.URL, "file-missing", "the domain declares that it accepts no mail (RFC 7505)", "")
	}
	slices.SortStableFunc(records, func(a, b *net.MX) int { return cmp.Compare(a.Pref, b.Pref) })
	var hosts []string
	for _, record := range records[:min(len(records), maxExchangers)] {
		hosts = append(hosts, strings.TrimSuffix(record.Host, "."))
	}
	return hosts, nil
}

// probeRecipient runs the dialog with one server up to RCPT.
func (s *session) probeRecipient(host string, address urinorm.Address) error {
	c, err := s.converse(serverAddr{host, s.by.port}, false, &mailReplies)
	if err != nil {
		var f *Fault
		if errors.As(err, &f) && f.Kind == "connect-refused" {
			// Many networks block this port for outgoing connections, so the fault says
			// nothing about the address.
			g := *f
			g.Kind = "connection-reset"
			return &g
		}
		return err
	}
	defer c.quit()
	features, err := c.command("EHLO " + c.ehloDomain())
	if err == nil && features.code >= 500 {
		features, err = c.command("HELO " + c.ehloDomain())
	}
	if err != nil {
		return err
	}
	if features.code != 250 {
		return c.refused(mailReplies.refusal, features)
	}
	from := "MAIL FROM:<>"
	if strings.ContainsFunc(address.Local, func(r rune) bool { return r >= 0x80 }) {
		if !strings.Contains(" "+strings.ToUpper(features.text)+" ", " SMTPUTF8 ") {
			return refusal(c.url, "file-unreadable", "the mail server does not accept internationalized addresses (RFC 6531)", "")
		}
		from += " SMTPUTF8"
	}
	for _, command := range []string{from, "RCPT TO:<" + address.String() + ">"} {
		answer, err := c.command(command)
		if err != nil {
			return err
		}
		if answer.code < 250 || answer.code > 259 {
			if command != from && answer.code >= 500 && isMailboxMissing(answer.text) {
				return refusal(c.url, "file-missing", "the mail server reports that the mailbox does not exist", answer.String())
			}
			return c.refused("the mail server rejected the address", answer)
		}
	}
	return nil
}

// ehloDomain returns the argument of EHLO: the local address of the connection (RFC
// 5321 section 4.1.4).
func (c *lineConn) ehloDomain() string {
	local, err := netip.ParseAddrPort(c.conn.LocalAddr().String())
	if err != nil {
		return "[127.0.0.1]"
	}
	addr := local.Addr().Unmap().WithZone("")
	if addr.Is6() {
		return "[IPv6:" + addr.String() + "]"
	}
	return "[" + addr.String() + "]"
}

var mailReplies = replies{
	greetings: []int{220},
	refusal:   "the mail server refused the session",
	classes:   [10]string{4: "rate-limited", "file-unreadable", "file-unreadable", "file-unreadable", "file-unreadable", "file-unreadable"},
}

// isMailboxMissing reads the enhanced status code (RFC 3463) if there is one, or else the text.
// 550 alone proves nothing, because servers also send it to strangers.
func isMailboxMissing(text string) bool {
	status, _, _ := strings.Cut(text, " ")
	if strings.Count(status, ".") == 2 && strings.Trim(status, "0123456789.") == "" {
		switch status {
		case "5.1.1", "5.1.3", "5.1.6", "5.1.10", "5.2.1":
			return true
		}
		return false
	}
	text = strings.ToLower(text)
	for _, words := range []string{"user unknown", "unknown user", "no such user", "no such mailbox", "does not exist", "doesn't exist", "recipient unknown", "unknown recipient", "mailbox not found", "user not found"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
