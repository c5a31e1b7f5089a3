package notify

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/netip"
	"net/smtp"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Mailer sends mail through one server, with STARTTLS if the server offers it.
type Mailer struct {
	host, port     string
	implicitTLS    bool
	user, password string
	from           *mail.Address
	tls            *tls.Config
}

// NewMailer parses the address of a mail server: smtp://[USER@]HOST[:PORT][?from=ADDRESS].
// smtps is TLS from the first byte. host is the name of this server in the default sender,
// orbweaver@HOST. Passwords in the address are refused, because other users of the machine
// see them.
func NewMailer(address, password, host string) (*Mailer, error) {
	wrong := errors.New("use smtp://HOST:PORT or smtps://HOST:PORT, with USER@ before the host if it needs an account")
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return nil, wrong
	}
	m := &Mailer{host: u.Hostname(), port: u.Port(), implicitTLS: u.Scheme == "smtps", password: password}
	if m.port == "" {
		m.port = map[bool]string{false: "25", true: "465"}[m.implicitTLS]
	}
	if n, err := strconv.ParseUint(m.port, 10, 16); err != nil || n == 0 {
		return nil, errors.New("use a port from 1 to 65535")
	}
	if u.User != nil {
		if _, given := u.User.Password(); given {
			return nil, errors.New("the address must not contain a password: put it into a file and use --smtp-password-file")
		}
		m.user = u.User.Username()
	}
	if m.user == "" && password != "" {
		return nil, errors.New("there is a password but no user: use smtp://USER@HOST:PORT")
	}
	if host == "" || net.ParseIP(strings.Trim(host, "[]")) != nil {
		host = "localhost"
	}
	from := "orbweaver@" + host
	for name, values := range u.Query() {
		if name != "from" {
			return nil, wrong
		}
		from = values[0]
	}
	if m.from, err = mail.ParseAddress(from); err != nil || strings.ContainsAny(from, "\r\n") {
		return nil, fmt.Errorf("%q is not a mail address", from)
	}
	m.tls = &tls.Config{ServerName: m.host, MinVersion: tls.VersionTLS12}
	if addr, err := netip.ParseAddr(m.host); m.host == "localhost" || err == nil && addr.IsLoopback() {
		m.tls.InsecureSkipVerify = true // the mail server of this machine often has a certificate that it made itself
	}
	return m, nil
}

// letter is what a mail says.
type letter struct {
	title, text string
	html        string // the same as HTML, "" for none
	unsubscribe string // the address at which one stops such mails, "" for none
}

// send sends a letter once.
func (m *Mailer) send(ctx context.Context, to string, l *letter) (result Result, again bool) {
	list, err := recipients(to)
	if err != nil {
		return Result{Error: err.Error()}, false
	}
	err = m.deliver(ctx, list, m.message(list, l, time.Now()))
	var reply *textproto.Error
	switch {
	case err == nil:
		return Result{Delivered: true}, false
	case errors.As(err, &reply):
		return Result{Status: reply.Code, Error: fmt.Sprintf("the mail server answered %d %s", reply.Code, oneLine(reply.Msg))}, reply.Code < 500
	}
	return Result{Error: sendError(err)}, true
}

func (m *Mailer) deliver(ctx context.Context, to []*mail.Address, message []byte) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(m.host, m.port))
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	if m.implicitTLS {
		conn = tls.Client(conn, m.tls)
	}
	c, err := smtp.NewClient(conn, m.host)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Hello(domainOf(m.from)); err != nil {
		return err
	}
	if offered, _ := c.Extension("STARTTLS"); offered && !m.implicitTLS {
		if err := c.StartTLS(m.tls); err != nil {
			return err
		}
	}
	if m.user != "" {
		// PlainAuth sends the password over TLS only, or to this machine.
		if err := c.Auth(smtp.PlainAuth("", m.user, m.password, m.host)); err != nil {
			return err
		}
	}
	if err := c.Mail(m.from.Address); err != nil {
		return err
	}
	for _, a := range to {
		if err := c.Rcpt(a.Address); err != nil {
			return err
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(message); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_ = c.Quit() // the mail is accepted, whatever comes now
	return nil
}

func domainOf(a *mail.Address) string { return a.Address[strings.LastIndexByte(a.Address, '@')+1:] }

// message returns the mail: plain text, and the same as HTML if there is some.
func (m *Mailer) message(to []*mail.Address, l *letter, now time.Time) []byte {
	var id [16]byte
	rand.Read(id[:])
	names := make([]string, len(to))
	for i, a := range to {
		names[i] = a.String()
	}
	var b bytes.Buffer
	parts := multipart.NewWriter(&b)
	unsubscribe := ""
	if l.unsubscribe != "" {
		unsubscribe = "<" + l.unsubscribe + ">" // RFC 2369
	}
	for _, line := range [][2]string{
		{"From", m.from.String()},
		{"To", strings.Join(names, ",\r\n ")},
		{"Subject", mime.QEncoding.Encode("utf-8", l.title)},
		{"Date", now.Format(time.RFC1123Z)},
		{"Message-ID", "<" + hex.EncodeToString(id[:]) + "@" + domainOf(m.from) + ">"},
		{"Auto-Submitted", "auto-generated"}, // RFC 3834
		{"List-Unsubscribe", unsubscribe},
		{"MIME-Version", "1.0"},
		{"Content-Type", "multipart/alternative; boundary=" + parts.Boundary()},
	} {
		if line[1] != "" {
			b.WriteString(line[0] + ": " + line[1] + "\r\n")
		}
	}
	b.WriteString("\r\n")
	for _, part := range [][2]string{{"text/plain", l.text}, {"text/html", l.html}} {
		if part[1] == "" {
			continue
		}
		w, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {part[0] + "; charset=utf-8"}, "Content-Transfer-Encoding": {"quoted-printable"}})
		if err != nil {
			continue // a buffer does not fail
		}
		q := quotedprintable.NewWriter(w)
		_, _ = io.WriteString(q, strings.ReplaceAll(part[1], "\n", "\r\n"))
		_ = q.Close()
	}
	_ = parts.Close()
	return b.Bytes()
}

// htmlText returns the event as HTML. Broken addresses are text, not links.
func htmlText(e *Event) string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<title>" + html.EscapeString(e.Title()) + "</title>\n")
	for _, p := range e.paragraphs() {
		b.WriteString("<p>" + html.EscapeString(p) + "</p>\n")
	}
	if list, more := e.listed(); len(list) > 0 {
		b.WriteString("<ul>\n")
		for _, f := range list {
			fmt.Fprintf(&b, "<li><code>%s</code><br>%s: %s</li>\n", html.EscapeString(oneLine(f.URL)), html.EscapeString(oneLine(f.Code)), html.EscapeString(oneLine(f.Message)))
		}
		if more > 0 {
			fmt.Fprintf(&b, "<li>and %d more</li>\n", more)
		}
		b.WriteString("</ul>\n")
	}
	if e.URL != "" {
		fmt.Fprintf(&b, "<p><a href=\"%s\">%s</a></p>\n", html.EscapeString(e.URL), e.linkText())
	}
	return b.String()
}
