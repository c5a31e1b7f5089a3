package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// Browsers accept control characters in the value of a response header, except NUL, CR
// and LF (Fetch Standard, section 2.2.2, "header value"). net/http rejects such an
// answer. It is then requested again over a connection whose headers are escaped before
// net/http reads them: each control character becomes its percent-encoding, as in a URL.
// Line ends stay as they are, so that no header is split that net/http would not split.
//
// A list of lengths, such as "Content-Length: 5, 5", is one length if all are equal (RFC
// 9110, section 8.6). net/http accepts that only of several headers, so over such a
// connection each length of a list becomes a header of its own.

// plainKey marks the context of a request whose connection carries only HTTP.
type plainKey struct{}

// newLenient returns a transport with a new connection for each request, whose response
// headers may contain control characters. Over TLS through an HTTP proxy, and through a
// SOCKS proxy, they may not.
func newLenient(t *http.Transport, d *dialer, v *verifier) *http.Transport {
	t.DisableKeepAlives = true
	t.DialContext = func(ctx context.Context, network, hostport string) (net.Conn, error) {
		conn, err := d.dialWatched(ctx, network, hostport)
		if plain, _ := ctx.Value(plainKey{}).(bool); err == nil && plain {
			conn = &lenientConn{Conn: conn}
		}
		return conn, err
	}
	t.DialTLSContext = func(ctx context.Context, network, hostport string) (net.Conn, error) {
		conn, err := d.dialWatched(ctx, network, hostport)
		if err != nil {
			return nil, err
		}
		host, _, _ := net.SplitHostPort(hostport)
		secure := tls.Client(conn, configFor(t.TLSClientConfig, v, host))
		ctx, cancel := context.WithTimeout(ctx, t.TLSHandshakeTimeout)
		defer cancel()
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		state := secure.ConnectionState()
		return &lenientConn{Conn: secure, tls: &state}, nil
	}
	return t
}

// isMendable reports whether net/http rejected an answer that a lenient connection may make
// acceptable.
func isMendable(err error) bool { return hasControl(err) || hasLengths(err) }

// hasLengths reports whether net/http rejected an answer because of a list of lengths.
func hasLengths(err error) bool {
	_, quoted, found := strings.Cut(err.Error(), "bad Content-Length ")
	return found && strings.Contains(quoted, ",")
}

// hasControl reports whether net/http rejected an answer because of a control character
// in the value of a header that browsers accept.
func hasControl(err error) bool {
	var malformed textproto.ProtocolError
	if !errors.As(err, &malformed) {
		return false
	}
	_, quoted, _ := strings.Cut(string(malformed), "malformed MIME header line: ")
	line, err := strconv.Unquote(quoted)
	_, value, found := strings.Cut(line, ":")
	return err == nil && found && strings.ContainsFunc(value, func(c rune) bool { return c < 0x80 && isEscaped(byte(c)) }) && !strings.ContainsAny(value, "\x00\r\n")
}

// isEscaped reports whether an octet is a control character that net/http rejects and
// browsers accept.
func isEscaped(c byte) bool {
	return c < ' ' && c != '\t' && c != '\r' && c != '\n' && c != 0 || c == 0x7F
}

// lenientConn is a connection for one request that escapes control characters in the
// values of the response header, and splits a list of lengths.
type lenientConn struct {
	net.Conn
	tls *tls.ConnectionState // nil without TLS

	body    bool         // the header has ended
	line    []byte       // the beginning of the current line, up to its colon
	length  int          // of the current line, without CR and LF
	value   bool         // a colon has been read in the current line
	final   bool         // the answer is not an informational one (1xx)
	begun   bool         // the status line has been read
	pending bytes.Buffer // read, but not yet returned
}

// lengthName begins a header that is split at its commas.
const lengthName = "Content-Length:"

// maxNameKept is the number of octets that are kept of a line's beginning.
const maxNameKept = len(lengthName)

func (c *lenientConn) Read(p []byte) (int, error) {
	if c.pending.Len() > 0 {
		return c.pending.Read(p)
	}
	n, err := c.Conn.Read(p)
	if c.body || n == 0 {
		return n, err
	}
	for i, octet := range p[:n] {
		if c.body {
			c.pending.Write(p[i:n])
			break
		}
		c.escape(octet)
	}
	n, _ = c.pending.Read(p)
	if c.pending.Len() > 0 {
		err = nil // the next read has it again
	}
	return n, err
}

// escape adds an octet of the header to pending.
func (c *lenientConn) escape(octet byte) {
	switch {
	case octet == '\n':
		c.endLine()
	case octet == '\r':
	default:
		if c.length == 0 && c.begun && (octet == ' ' || octet == '\t') {
			c.value = true // the line continues the previous value
		}
		if c.value && isEscaped(octet) {
			fmt.Fprintf(&c.pending, "%%%02X", octet)
			c.length++
			return
		}
		if c.value && octet == ',' && strings.EqualFold(string(c.line), lengthName) {
			c.pending.WriteString("\r\n" + lengthName)
			return
		}
		c.value = c.value || octet == ':' && c.begun
		if c.length++; len(c.line) < maxNameKept {
			c.line = append(c.line, octet)
		}
	}
	c.pending.WriteByte(octet)
}

// endLine notes the status of the answer and the end of its header.
func (c *lenientConn) endLine() {
	switch {
	case !c.begun:
		_, status, _ := bytes.Cut(c.line, []byte(" "))
		status = bytes.TrimLeft(status, " ")
		c.begun, c.final = true, len(status) < 2 || status[0] != '1' || bytes.HasPrefix(status, []byte("101"))
	case c.length == 0:
		c.body, c.begun = c.final, false
	}
	c.line, c.length, c.value = c.line[:0], 0, false
}
