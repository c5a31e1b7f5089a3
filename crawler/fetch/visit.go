package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of a conversation.
const (
	maxSaid      = 256 << 10 // bytes of replies, all together
	maxReplyLine = 4 << 10   // bytes of one line; standards allow 512
	maxReplyRows = 128       // lines of one reply
)

// visit is one Request to a server beside the web, from connecting to the end of
// the body.
type visit struct {
	*daemon
	parent   context.Context // whoever asks
	ctx      context.Context // ends with the visit too
	cancel   context.CancelFunc
	req      *Request
	deadline time.Time // of the whole
	requests int       // what was asked of servers; a login is no request
	conns    []*boundedConn
	proxied  bool // by a SOCKS proxy
	notes    []Note
}

func (d *daemon) visit(ctx context.Context, req *Request) *visit {
	v := &visit{daemon: d, parent: ctx, req: req, deadline: time.Now().Add(wholeFactor * d.web.timeout)}
	v.ctx, v.cancel = context.WithCancel(ctx)
	return v
}

// end closes what is open.
func (v *visit) end() {
	v.cancel()
	for _, c := range v.conns {
		c.stop()
		c.Close()
	}
	v.conns = nil
}

// target names the URL in faults, passwords removed.
func (v *visit) target() string { return v.req.URL.WithoutFragment().Printed() }

// says is the fault of a server that answered in the negative. text is its own
// words.
func (v *visit) says(kind, what, text string) *Fault {
	f := refuse(v.req.URL, kind, what)
	if text = inOneLine(text); text != "" {
		f.Err = errors.New(what + ": " + text)
	}
	f.Retry = kind == "rate-limited"
	return f
}

// Errors of a conversation that the other side has to answer for.
var (
	errTooLong   = errors.New("a line of the answer is longer than lines may be")
	errTooMuch   = errors.New("the answer is longer than it may be")
	errManyRows  = errors.New("the answer has more lines than it may have")
	errNoReply   = errors.New("the answer begins with no number")
	errEndedFast = errors.New("the connection was closed without an answer")
)

// fault says what an error means for the visit. A Fault stays what it is.
func (v *visit) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	var f *Fault
	if errors.As(err, &f) {
		g := *f // the dialer's are shared by all who waited for the same name
		g.Requests = v.requests
		return &g
	}
	if v.parent.Err() != nil {
		return context.Cause(v.parent)
	}
	f = &Fault{Kind: "protocol-error", Op: op, Target: v.target(), Requests: v.requests}
	switch {
	case isTimeout(err):
		f.Kind, f.Retry = "timeout", true
		if !time.Now().Before(v.deadline) {
			return wholeTimeout(op, f.Target, v.web.timeout, err)
		}
		f.Err = &cause{"no answer within " + v.web.timeout.String(), err}
	case limitErrno(err) != 0:
		f.Kind, f.Retry, f.Local, f.Err = "timeout", true, true, localLimit(err)
	case isHandshake(err):
		f = tlsFault(f.Target, v.web.timeout, err)
		f.Requests = v.requests
	case errors.Is(err, bufio.ErrTooLong):
		f.Err = errTooLong
	case errors.Is(err, errTooLong), errors.Is(err, errTooMuch), errors.Is(err, errManyRows), errors.Is(err, errNoReply):
		f.Err = err
	case isReset(err):
		f.Kind, f.Retry, f.Err = "connection-reset", true, &cause{errEndedFast.Error(), err}
	default:
		f.Err = &cause{"the answer is malformed", err}
	}
	return f
}

// bodyFault says what an error met within a body means.
func (v *visit) bodyFault(err error) error {
	err = v.fault("read", err)
	var f *Fault
	if errors.As(err, &f) && (f.Kind == "connection-reset" || f.Kind == "protocol-error") {
		f.Kind, f.Retry = "body-truncated", true
		f.Err = &cause{"the body ended early", f.Err}
	}
	return err
}

// isHandshake reports whether an error is TLS's own, of the handshake or later.
func isHandshake(err error) bool {
	var chain *chainError
	text := err.Error()
	return errors.As(err, &chain) || strings.Contains(text, "tls: ") || strings.Contains(text, "x509: ")
}

// open connects to a server, with TLS when that is wanted. limit bounds how many
// bytes are read from it.
func (v *visit) open(s site, secure bool, limit int64) (*boundedConn, error) {
	for completed := false; ; completed = true {
		c, err := v.dial(s, limit)
		if err != nil || !secure {
			return c, err
		}
		err = v.handshake(c, s.host)
		var chain *chainError
		switch {
		case err == nil:
			return c, nil
		case v.ctx.Err() != nil:
			return nil, context.Cause(v.ctx)
		case errors.As(err, &chain) && !completed && v.web.issuers.complete(v.ctx, chain.certs):
			continue
		}
		return nil, tlsFault(v.target(), v.web.timeout, err)
	}
}

func (v *visit) dial(s site, limit int64) (*boundedConn, error) {
	v.requests++
	conn, proxied, err := v.web.dialOther(v.ctx, s.hostport())
	if err != nil {
		return nil, err
	}
	v.proxied = proxied
	return v.bound(conn, limit), nil
}

// dialPeer opens a further connection to a host that we talk to already, at the
// address it has: it was looked up and allowed before, and no rule sends it
// elsewhere.
func (v *visit) dialPeer(to netip.AddrPort, limit int64) (*boundedConn, error) {
	d := v.web.dialer
	if !d.begin() {
		return nil, context.Canceled
	}
	defer d.wg.Done()
	ctx, cancel := context.WithTimeoutCause(v.ctx, d.timeout, errTimeout)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	conn, err := d.connect(ctx, "tcp", to.String())
	if err != nil {
		return nil, connectFault(to.String(), d.timeout, ctx, err)
	}
	return v.bound(conn, limit), nil
}

// handshake puts TLS over a connection, below its bounds: what counts is plain
// text.
func (v *visit) handshake(c *boundedConn, host string) error {
	ctx := v.ctx
	if v.req.Internal {
		ctx = context.WithValue(ctx, internalKey{}, true)
	}
	ctx, cancel := context.WithTimeout(ctx, v.web.timeout)
	defer cancel()
	conn := tls.Client(c.Conn, v.tlsFor(host))
	if err := conn.HandshakeContext(ctx); err != nil {
		c.Close()
		return err
	}
	c.Conn = conn
	c.step()
	state := conn.ConnectionState()
	state.ServerName = host
	v.notes = v.web.verifier.notes(&state)
	return nil
}

// tlsFor returns the configuration for a host. A certificate is held to the host
// even where that is an address, which TLS does not name to the server.
func (v *visit) tlsFor(host string) *tls.Config {
	config := v.tls.Clone()
	config.ServerName = host
	config.VerifyConnection = func(state tls.ConnectionState) error {
		state.ServerName = host
		return v.web.verifier.verify(state)
	}
	return config
}

// bound makes a connection one of the visit's: it ends with it, and with the
// context.
func (v *visit) bound(conn net.Conn, limit int64) *boundedConn {
	c := &boundedConn{Conn: conn, v: v, left: limit}
	c.stop = context.AfterFunc(v.ctx, func() { conn.Close() })
	c.step()
	v.conns = append(v.conns, c)
	return c
}

// boundedConn is a connection whose reads are bounded: a step, from one thing said
// to the end of its answer, takes no longer than the time limit, the whole no
// longer than five times that, and no more than so many bytes are read. Deadlines
// that libraries set are passed over. One goroutine may read while another writes.
type boundedConn struct {
	net.Conn
	v    *visit
	flow bool // each read is a step: a body, bounded by its longest silence
	stop func() bool
	// beside waits while this connection brings something.
	beside *boundedConn

	mu    sync.Mutex
	until time.Time // the end of this step
	left  int64
	err   error // the first; libraries wrap it beyond recognition
}

// step begins a step.
func (c *boundedConn) step() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.extend(time.Now().Add(c.v.web.timeout))
}

// extend moves the end of the step, for a read under way too.
func (c *boundedConn) extend(until time.Time) {
	if c.until = until; until.After(c.v.deadline) {
		c.until = c.v.deadline
	}
	c.Conn.SetReadDeadline(c.until)
}

func (c *boundedConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	left := c.left
	if c.flow {
		c.extend(time.Now().Add(c.v.web.timeout))
	}
	c.mu.Unlock()
	if left <= 0 {
		c.note(errTooMuch)
		return 0, errTooMuch
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	c.left -= int64(n)
	c.mu.Unlock()
	c.note(err)
	if c.beside != nil {
		c.beside.step()
	}
	return n, err
}

func (c *boundedConn) Write(p []byte) (int, error) {
	c.step()
	n, err := c.answer(p)
	c.note(err)
	return n, err
}

// answer writes without beginning a step.
func (c *boundedConn) answer(p []byte) (int, error) {
	c.mu.Lock()
	c.Conn.SetWriteDeadline(c.until)
	c.mu.Unlock()
	return c.Conn.Write(p)
}

func (c *boundedConn) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// failure returns what went wrong first, nil for nothing.
func (c *boundedConn) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// SetDeadline does nothing.
func (c *boundedConn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (c *boundedConn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (c *boundedConn) SetWriteDeadline(time.Time) error { return nil }

// pageBody is a document made here; closing it ends the visit.
type pageBody struct {
	io.ReadCloser
	v *visit
}

func (b *pageBody) Close() error { b.v.end(); return nil }

// conversation is a connection to a server that talks in lines.
type conversation struct {
	*visit
	conn *boundedConn
	in   *bufio.Reader
}

func (v *visit) converse(s site, secure bool) (*conversation, error) {
	conn, err := v.open(s, secure, maxSaid)
	if err != nil {
		return nil, err
	}
	return &conversation{v, conn, bufio.NewReaderSize(conn, maxReplyLine)}, nil
}

// line reads a line, its end taken off.
func (c *conversation) line() (string, error) {
	line, err := c.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", errTooLong
	case err == io.EOF && len(line) > 0:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

// send says a line. That it holds no line end of its own is the last line of
// defence: what comes from a URL went through decodeOnce.
func (c *conversation) send(line string) error {
	if strings.ContainsAny(line, "\r\n\x00") {
		return invalid(c.req.URL, "it "+errControl.Error())
	}
	_, err := io.WriteString(c.conn, line+"\r\n")
	return err
}

// reply is a server's answer that begins with three digits, as those of NNTP, SMTP
// and DICT do.
type reply struct {
	code int
	text string // its lines, blanks between them
}

func (r reply) String() string { return fmt.Sprintf("%03d %s", r.code, r.text) }

// reply reads an answer; "250-" announces another line (RFC 5321 section 4.2.1).
func (c *conversation) reply() (reply, error) {
	var r reply
	for range maxReplyRows {
		line, err := c.line()
		if err != nil {
			return r, err
		}
		if len(line) < 3 || strings.Trim(line[:3], "0123456789") != "" {
			return r, errNoReply
		}
		code := int(line[0]-'0')*100 + int(line[1]-'0')*10 + int(line[2]-'0')
		if r.code != 0 && code != r.code {
			return r, errNoReply
		}
		r.code = code
		more := len(line) > 3 && line[3] == '-'
		r.text = strings.TrimSpace(r.text + " " + strings.Trim(line[3:], "- "))
		if !more {
			return r, nil
		}
	}
	return r, errManyRows
}

// ask says a line and reads the answer.
func (c *conversation) ask(line string) (reply, error) {
	if err := c.send(line); err != nil {
		return reply{}, err
	}
	return c.reply()
}

// quit takes leave; nobody waits for the answer.
func (c *conversation) quit() { c.send("QUIT") }

// maxWords bounds what is repeated of a server's own words.
const maxWords = 120

// inOneLine makes a server's words fit for a message: printable, in one line, not
// too long.
func inOneLine(text string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.TrimSpace(text) {
		if r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) {
			space = true
			continue
		}
		if b.Len() >= maxWords {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote shows a name in a message.
func quote(name string) string { return `"` + inOneLine(name) + `"` }
