package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"path"
	"strings"

	"github.com/jlaffaye/ftp"
	"github.com/orbweaver/orbweaver/urinorm"
)

// maxFTPListing bounds the listing of a directory, in bytes.
const maxFTPListing = 4 << 20

// fetchFTP answers for ftp and ftps (RFC 959, RFC 1738 section 3.2, RFC 4217): log
// in, change to each directory of the path, and see what the last segment names.
//
//	ftp://host/a/b%2Fc/name;type=i   CWD a, CWD b/c, then name
//	ftp://host//etc/motd             CWD /, CWD etc, then motd
//
// A directory's content is its listing, as an HTML document of links; one that is
// named without its '/' is a redirect to the name with it, as relative links in
// the listing would lead astray. ftps is TLS from the first byte, as it is for
// curl; on port 21, where nobody listens for that, it is AUTH TLS.
//
// A proxy of HTTP's is asked for ftp URLs (ftpproxy.go), a SOCKS proxy carries all
// connections. ftps is asked directly but for the latter.
func fetchFTP(s *session) (*Response, error) {
	server, err := s.serverOf(s.req.URL)
	if err != nil {
		return nil, err
	}
	at, err := ftpPathOf(s.req.URL)
	if err != nil {
		return nil, err
	}
	through, err := s.web.proxies.forOtherScheme(server.hostport())
	if err != nil {
		return nil, err
	}
	if through != nil && !isSOCKS(through) && s.scheme == "ftp" {
		return fetchFTPThroughProxy(s, through)
	}
	client := &ftpSession{session: s, server: server}
	if err := client.login(); err != nil {
		return nil, err
	}
	resp, err := client.fetchPath(at)
	if err == nil && resp.Body != nil {
		return resp, nil
	}
	client.ServerConn.Quit()
	return resp, err
}

// ftpPath is the path of an FTP URL taken apart, decoded.
type ftpPath struct {
	directories []string
	name        string // "" names the last directory itself
	kind        byte   // of ";type=": 'a', 'i', 'd', or 0
}

// ftpPathOf cuts the URL's path at its slashes and decodes each segment, once. What
// stands behind a '?' belongs to the name: FTP knows no queries.
func ftpPathOf(u urinorm.URL) (ftpPath, error) {
	var p ftpPath
	text := u.RequestTarget()
	if i := strings.LastIndexByte(text, ';'); i >= 0 {
		if kind, ok := strings.CutPrefix(strings.ToLower(text[i:]), ";type="); ok && len(kind) == 1 && strings.Contains("aid", kind) {
			text, p.kind = text[:i], kind[0]
		}
	}
	segments := strings.Split(strings.TrimPrefix(text, "/"), "/")
	for i, segment := range segments {
		decoded, err := decodeOnce(segment, "")
		if err != nil {
			return p, invalidURL(u, "the path "+err.Error())
		}
		switch {
		case i == len(segments)-1:
			p.name = decoded
		case decoded != "":
			p.directories = append(p.directories, decoded)
		case i == 0:
			p.directories = append(p.directories, "/") // "//" begins at the server's root
		}
	}
	return p, nil
}

// ftpSession is a visit that is logged in.
type ftpSession struct {
	*session
	*ftp.ServerConn
	server  serverAddr
	control *replyRecorder
	secure  bool // data connections too
}

// login connects and logs in: with the account of the URL, else the one given for
// the host, else as everybody does.
func (s *ftpSession) login() error {
	user, err := s.account()
	if err != nil {
		return err
	}
	if user == nil || user.name == "" {
		user = &account{"anonymous", "orbweaver@"}
	}
	options := []ftp.DialOption{ftp.DialWithDialFunc(s.dial)}
	explicit := s.scheme == "ftps" && s.server.port == 21
	switch {
	case explicit:
		options = append(options, ftp.DialWithExplicitTLS(s.tlsFor(s.server.host)))
	case s.session.secure:
		options = append(options, ftp.DialWithTLS(s.tlsFor(s.server.host))) // for PROT P
	}
	for completed := false; ; completed = true {
		s.control, s.secure = nil, s.session.secure && !explicit
		s.ServerConn, err = ftp.Dial(s.server.hostport(), options...)
		if err == nil {
			s.secure = s.session.secure
			err = s.Login(user.name, user.password)
		}
		var chain *chainError
		if explicit && !completed && errors.As(err, &chain) && s.web.issuers.complete(s.ctx, chain.certs) {
			continue
		}
		return s.loginFault(user, err)
	}
}

// loginFault says why there was no login.
func (s *ftpSession) loginFault(user *account, err error) error {
	if err == nil {
		return nil
	}
	var said *textproto.Error
	if errors.As(err, &said) {
		return s.replyFault("the server does not let us in", said)
	}
	// The library tells the answer to USER as text alone.
	if s.control != nil && s.control.last.Code >= 400 && err.Error() == s.control.last.Msg {
		what := "the server does not let us in"
		if user.name == "anonymous" {
			what = "the server lets nobody in without an account"
		}
		last := s.control.last
		return s.replyFault(what, &last)
	}
	return s.connError(err)
}

// connError turns an error of the library into the connection's own, where that
// tells more.
func (s *ftpSession) connError(err error) error {
	if s.control != nil {
		if failure := s.control.firstError(); failure != nil && !errors.Is(err, failure) {
			return failure
		}
	}
	return err
}

// replyFault says what a negative reply means (RFC 959 section 4.2).
func (s *ftpSession) replyFault(what string, said *textproto.Error) error {
	text := fmt.Sprintf("%d %s", said.Code, said.Msg)
	kind := "protocol-error"
	switch code := said.Code; {
	case code == 425 || code == 426:
		kind = "connection-reset"
	case code == 450 && isMissingText(said.Msg):
		kind = "file-missing"
	case code >= 400 && code < 500:
		kind = "rate-limited"
	case code == 530 || code == 532 || code == 533 || code == 534:
		kind = "file-unreadable"
	case (code == 550 || code == 553) && isForbiddenText(said.Msg):
		kind = "file-unreadable"
	case code == 550 || code == 553 || code == 501 || code == 551:
		kind = "file-missing"
	}
	f := s.serverFault(kind, what, text)
	f.Retry = f.Retry || kind == "connection-reset"
	return f
}

func isMissingText(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "no such") || strings.Contains(text, "not found") || strings.Contains(text, "not exist")
}

func isForbiddenText(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "permission") || strings.Contains(text, "denied") || strings.Contains(text, "not allowed") || strings.Contains(text, "privilege")
}

// dial opens the control connection, which comes first, and then those for data.
func (s *ftpSession) dial(_, address string) (net.Conn, error) {
	if s.control == nil {
		conn, err := s.open(s.server, s.secure, maxReplyBytes)
		if err != nil {
			return nil, err
		}
		s.control = &replyRecorder{boundedConn: conn}
		return s.control, nil
	}
	to, err := netip.ParseAddrPort(address)
	peer, peerErr := netip.ParseAddrPort(s.control.RemoteAddr().String())
	switch {
	case err == nil && peerErr == nil && s.proxied: // the peer is the proxy, and knows where the server is
	case err != nil || peerErr != nil || to.Addr().Unmap() != peer.Addr().Unmap():
		return nil, s.serverFault("protocol-error", "the server names no usable address for its data", "")
	}
	if to.Port() < 1024 {
		return nil, s.serverFault("protocol-error", fmt.Sprintf("the server would send data from port %d, which belongs to another service", to.Port()), "")
	}
	var conn *boundedConn
	if s.proxied {
		conn, err = s.session.dial(serverAddr{s.server.host, int(to.Port())}, s.web.maxBody+maxFTPListing)
		s.requests-- // it belongs to the one that is under way
	} else {
		conn, err = s.dialPeer(to, s.web.maxBody+maxFTPListing)
	}
	if err != nil {
		var f *Fault
		if errors.As(err, &f) && f.Kind == "connect-refused" {
			f.Kind, f.Err = "connection-reset", &cause{"the server does not accept connections for data", f.Err}
		}
		return nil, err
	}
	conn.streaming, conn.control = true, s.control.boundedConn
	if s.secure {
		// Shaking hands waits for the first read: servers begin with it when they have
		// read the command.
		conn.Conn = tls.Client(conn.Conn, s.tlsFor(s.server.host))
	}
	return conn, nil
}

// replyRecorder remembers the last reply of a control connection in plain text.
type replyRecorder struct {
	*boundedConn
	line  []byte
	last  textproto.Error
	inTLS bool // the library encrypted it: nothing more is understood
}

func (w *replyRecorder) Read(p []byte) (int, error) {
	n, err := w.boundedConn.Read(p)
	if w.inTLS {
		return n, err
	}
	for _, b := range p[:n] {
		if b != '\n' {
			if len(w.line) < maxReplyLine {
				w.line = append(w.line, b)
			}
			continue
		}
		line := strings.TrimRight(string(w.line), "\r")
		w.line = w.line[:0]
		if len(line) >= 4 && line[3] == ' ' && strings.Trim(line[:3], "0123456789") == "" {
			w.last = textproto.Error{Code: int(line[0]-'0')*100 + int(line[1]-'0')*10 + int(line[2]-'0'), Msg: line[4:]}
			if w.last.Code == ftp.StatusAuthOK && w.session.scheme == "ftps" {
				w.inTLS = true
			}
		}
	}
	return n, err
}

// fetchPath finds out what a path names.
func (s *ftpSession) fetchPath(at ftpPath) (*Response, error) {
	if at.kind == 'd' && at.name != "" {
		at.directories, at.name = append(at.directories, at.name), ""
	}
	for _, name := range at.directories {
		if err := s.ChangeDir(name); err != nil {
			return nil, s.commandFault("there is no directory "+quote(name), err)
		}
	}
	if at.name == "" {
		return s.directory()
	}
	entry, err := s.findEntry(at.name)
	switch {
	case err != nil:
		return nil, err
	case entry.Type == ftp.EntryTypeFolder:
		return s.redirectToSlash(), nil
	}
	resp := &Response{ContentType: TypeByName(at.name), Size: int64(entry.Size), Modified: entry.Time}
	if resp.Size == 0 {
		resp.Size = -1 // unknown, most likely
	}
	if s.req.Need == Existence {
		return resp, nil
	}
	if at.kind == 'a' {
		if err := s.Type(ftp.TransferTypeASCII); err != nil {
			return nil, s.commandFault("the server has no text mode", err)
		}
		resp.Size = -1
	}
	data, err := withDataConn(s, s.Retr, at.name)
	if err != nil {
		if s.ChangeDir(at.name) == nil {
			return s.redirectToSlash(), nil // the server took a directory for a file
		}
		return nil, s.commandFault("the server does not send the file", err)
	}
	resp.Body = &ftpBody{session: s, data: data}
	return resp, nil
}

// findEntry says what a name in the directory is: by MLST (RFC 3659 section 7), else by
// SIZE, which only files have, and CWD, which only directories bear. Where the
// replies leave a doubt the listing of the directory decides.
func (s *ftpSession) findEntry(name string) (*ftp.Entry, error) {
	entry, mlstErr := s.GetEntry(name)
	if mlstErr == nil {
		return entry, nil
	}
	if err := s.sessionError(mlstErr); err != nil {
		return nil, err
	}
	size, sizeErr := s.FileSize(name)
	if sizeErr == nil {
		return &ftp.Entry{Size: uint64(max(size, 0))}, nil
	}
	if err := s.sessionError(sizeErr); err != nil {
		return nil, err
	}
	cwdErr := s.ChangeDir(name)
	if cwdErr == nil {
		return &ftp.Entry{Type: ftp.EntryTypeFolder}, nil
	}
	if err := s.sessionError(cwdErr); err != nil {
		return nil, err
	}
	const absent = "there is no such file"
	if isMissingText(sizeErr.Error()) && isMissingText(cwdErr.Error()) {
		return nil, s.commandFault(absent, sizeErr)
	}
	parent, base := path.Split(name) // an encoded slash is part of the segment
	parent = strings.TrimSuffix(parent, "/")
	if strings.HasPrefix(parent, "-") {
		parent = "./" + parent // many servers hand it to ls, which would take it for an option
	}
	entries, err := withDataConn(s, s.List, parent)
	alike := ""
	for _, entry := range entries {
		if entry.Name == base {
			if entry.Type == ftp.EntryTypeFolder {
				return nil, s.commandFault("the directory can't be entered", cwdErr)
			}
			return entry, nil
		}
		if strings.EqualFold(entry.Name, base) {
			alike = entry.Name
		}
	}
	if err != nil {
		if fault := s.sessionError(err); fault != nil {
			return nil, fault
		}
	}
	fault := s.commandFault(absent, cwdErr)
	var f *Fault
	if alike != "" && errors.As(fault, &f) {
		f.Hint = "there is " + quote(alike) + ", in other letter case"
	}
	return nil, fault
}

// sessionError returns the fault of a conversation that is over, nil where the server
// just said no.
func (s *ftpSession) sessionError(err error) error {
	var said *textproto.Error
	switch {
	case errors.As(err, &said) && said.Code >= 500:
		return nil
	case errors.As(err, &said) && said.Code == 450:
		return nil // "no such file", from some
	case errors.As(err, &said) && said.Code < 400:
		return nil // a reply nobody expected; another command may tell
	case said != nil:
		return s.replyFault("the server does not tell", said)
	case s.control.firstError() != nil:
		return s.connError(err)
	}
	var f *Fault
	if errors.As(err, &f) {
		return err
	}
	return nil // an answer the library could not read
}

// commandFault is the fault of a command that failed.
func (s *ftpSession) commandFault(what string, err error) error {
	var said *textproto.Error
	if errors.As(err, &said) {
		return s.replyFault(what, said)
	}
	return s.connError(err)
}

// redirectToSlash leads to the directory that was named without its '/'.
func (s *ftpSession) redirectToSlash() *Response {
	return &Response{Status: 301, Location: s.req.URL.WithoutFragment().String() + "/", Size: -1}
}

// directory answers with the listing of the directory we are in.
func (s *ftpSession) directory() (*Response, error) {
	resp := &Response{ContentType: linkPageType, Size: -1}
	if s.req.Need == Existence {
		return resp, nil
	}
	entries, err := withDataConn(s, s.List, "")
	if err != nil {
		if !errors.Is(err, errTooLarge) && len(entries) == 0 || s.parent.Err() != nil {
			return nil, s.commandFault("the server does not list the directory", err)
		}
		resp.Notes = append(resp.Notes, Note{"body-truncated", "the listing of the directory was not read to its end"})
	}
	page := newLinkPage("Index of " + s.target())
	for _, entry := range entries {
		name := entry.Name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			name = name[i+1:] // some list whole paths
		}
		switch {
		case name == "" || name == "." || name == ".." || strings.IndexByte(name, 0) >= 0:
		case entry.Type == ftp.EntryTypeFolder:
			page.link(escapeSegment(name)+"/", name+"/")
		case entry.Type == ftp.EntryTypeLink && isAncestor(entry.Target):
			page.line(name) // followed, it would have no end
		default:
			page.link(escapeSegment(name), name)
		}
	}
	s.ServerConn.Quit()
	resp.Body = &sessionPage{page.body(), s.session}
	return resp, nil
}

// withDataConn gives a command that opens a connection for data. The library panics when the
// reply that tells its address, 227, closes its parenthesis before it opens it.
func withDataConn[T any](s *ftpSession, command func(name string) (T, error), name string) (answer T, err error) {
	defer func() {
		if recover() != nil {
			err = s.serverFault("protocol-error", "the server names no usable address for its data", "")
		}
	}()
	return command(name)
}

// isAncestor reports whether a symbolic link's target is a directory above it.
func isAncestor(target string) bool {
	return target == "/" || strings.Trim(target, "./") == "" && target != ""
}

// ftpBody reads a file that is being sent.
type ftpBody struct {
	session *ftpSession
	data    *ftp.Response
	err     error
}

func (b *ftpBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.data.Read(p)
	if err == io.EOF {
		// The server's word on it: the end of the connection alone may be an accident.
		if shut := b.data.Close(); shut != nil {
			err = shut
		}
	}
	if err != nil && err != io.EOF {
		err = b.session.bodyFault(err)
	}
	b.err = err
	return n, err
}

// Close ends the session. A server in the middle of a file notices.
func (b *ftpBody) Close() error {
	if b.err == io.EOF {
		b.session.ServerConn.Quit()
	}
	b.session.end()
	return nil
}
