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

// maxFTPListing is the size limit of a directory listing, in bytes.
const maxFTPListing = 4 << 20

// fetchFTP answers ftp and ftps URLs (RFC 959, RFC 1738 section 3.2, RFC 4217). It logs
// in, changes to each directory of the path, and then checks what the last segment
// names.
//
//	ftp://host/a/b%2Fc/name;type=i   CWD a, CWD b/c, then name
//	ftp://host//etc/motd             CWD /, CWD etc, then motd
//
// The content of a directory is its listing as an HTML document of links. A directory
// URL without the final '/' redirects to the URL with it, so that the relative links of
// the listing resolve correctly. ftps uses TLS from the first byte, as in curl, but
// AUTH TLS on port 21, where servers do not expect implicit TLS.
//
// An HTTP proxy handles ftp URLs (ftpproxy.go). A SOCKS proxy forwards all connections
// and is the only proxy for ftps.
func fetchFTP(s *session) (*Response, error) {
	server, err := s.by.serverOf(s.req.URL)
	if err != nil {
		return nil, err
	}
	at, err := ftpPathOf(s.req.URL)
	if err != nil {
		return nil, err
	}
	through, err := s.by.connector.proxies.forOtherScheme(server.hostport())
	if err != nil {
		return nil, err
	}
	if through != nil && !isSOCKS(through) && s.by.scheme == "ftp" {
		return fetchFTPThroughProxy(s, through)
	}
	client := &ftpSession{session: s, url: s.req.URL, server: server}
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

// ftpPath is the decoded path of an FTP URL.
type ftpPath struct {
	directories []string
	name        string // "" means the last directory itself
	kind        byte   // from ";type=": 'a', 'i', 'd', or 0
}

// ftpPathOf splits the URL's path at its slashes and decodes each segment once. A '?'
// and what follows it belong to the name, because FTP has no queries.
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
			p.directories = append(p.directories, "/") // "//" starts at the server's root
		}
	}
	return p, nil
}

// ftpSession is a session that is logged in.
type ftpSession struct {
	*ftp.ServerConn
	session *session
	url     urinorm.URL
	server  serverAddr
	control *replyRecorder
	secure  bool // data connections use TLS too
}

// login connects and logs in, with the account in the URL, the account configured for
// the host, or else anonymously.
func (s *ftpSession) login() error {
	by := s.session.by
	user, err := by.accounts.forSession(s.url)
	if err != nil {
		return err
	}
	if user == nil || user.name == "" {
		user = &account{"anonymous", "orbweaver@"}
	}
	options := []ftp.DialOption{ftp.DialWithDialFunc(s.dial)}
	explicit := by.scheme == "ftps" && s.server.port == 21
	switch {
	case explicit:
		options = append(options, ftp.DialWithExplicitTLS(by.connector.tlsFor(s.server.host)))
	case by.secure:
		options = append(options, ftp.DialWithTLS(by.connector.tlsFor(s.server.host))) // for PROT P
	}
	for completed := false; ; completed = true {
		s.control, s.secure = nil, by.secure && !explicit
		s.ServerConn, err = ftp.Dial(s.server.hostport(), options...)
		if err == nil {
			s.secure = by.secure
			err = s.Login(user.name, user.password)
		}
		var chain *chainError
		if explicit && !completed && errors.As(err, &chain) && by.web.completeChain(s.session.ctx, chain.certs, &s.session.requests) {
			continue
		}
		return s.loginFault(user, err)
	}
}

// loginFault classifies the error of a failed login.
func (s *ftpSession) loginFault(user *account, err error) error {
	if err == nil {
		return nil
	}
	var said *textproto.Error
	if errors.As(err, &said) {
		return s.replyFault("the server refused access", said)
	}
	// The library returns the reply to USER only as text.
	if s.control != nil && s.control.last.Code >= 400 && err.Error() == s.control.last.Msg {
		what := "the server refused access"
		if user.name == "anonymous" {
			what = "the server requires an account"
		}
		last := s.control.last
		return s.replyFault(what, &last)
	}
	return s.connError(err)
}

// connError returns the error of the control connection if it says more than the
// library's error.
func (s *ftpSession) connError(err error) error {
	if s.control != nil {
		if failure := s.control.firstError(); failure != nil && !errors.Is(err, failure) {
			return failure
		}
	}
	return err
}

// replyFault returns the fault that a negative reply stands for (RFC 959 section 4.2).
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
	f := refusal(s.url, kind, what, text)
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

// dial opens the control connection, which comes first, and then the data connections.
func (s *ftpSession) dial(_, address string) (net.Conn, error) {
	if s.control == nil {
		conn, err := s.session.open(s.server, s.secure, maxReplyBytes)
		if err != nil {
			return nil, err
		}
		s.control = &replyRecorder{boundedConn: conn, mayEncrypt: s.session.by.scheme == "ftps"}
		return s.control, nil
	}
	to, err := netip.ParseAddrPort(address)
	peer, peerErr := netip.ParseAddrPort(s.control.RemoteAddr().String())
	switch {
	case err == nil && peerErr == nil && s.session.proxied: // the peer is the proxy, which resolves the server's address
	case err != nil || peerErr != nil || to.Addr().Unmap() != peer.Addr().Unmap():
		return nil, refusal(s.url, "protocol-error", "the server named no usable address for its data connection", "")
	}
	if to.Port() < 1024 {
		return nil, refusal(s.url, "protocol-error", fmt.Sprintf("the server wants to send data from port %d, which belongs to another service", to.Port()), "")
	}
	var conn *boundedConn
	if s.session.proxied {
		conn, err = s.session.dial(serverAddr{s.server.host, int(to.Port())}, s.session.by.maxBody+maxFTPListing)
		s.session.requests-- // it belongs to a request that is already counted
	} else {
		conn, err = s.session.dialPeer(to, s.session.by.maxBody+maxFTPListing)
	}
	if err != nil {
		var f *Fault
		if errors.As(err, &f) && f.Kind == "connect-refused" {
			f.Kind, f.Err = "connection-reset", &cause{"the server does not accept data connections", f.Err}
		}
		return nil, err
	}
	conn.streaming, conn.control = true, s.control.boundedConn
	if s.secure {
		// The handshake waits for the first read, because servers start it after they
		// have read the command.
		conn.Conn = tls.Client(conn.Conn, s.session.by.connector.tlsFor(s.server.host))
	}
	return conn, nil
}

// replyRecorder records the last reply of a control connection in plain text.
type replyRecorder struct {
	*boundedConn
	mayEncrypt bool // a reply may begin encryption
	line       []byte
	last       textproto.Error
	inTLS      bool // the library has enabled encryption, so replies are unreadable
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
			if w.last.Code == ftp.StatusAuthOK && w.mayEncrypt {
				w.inTLS = true
			}
		}
	}
	return n, err
}

// fetchPath answers for a path.
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
		resp.Size = -1 // probably unknown
	}
	if s.session.req.Need == Existence {
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
			return s.redirectToSlash(), nil // the server reported a directory as a file
		}
		return nil, s.commandFault("the server does not send the file", err)
	}
	resp.Body = &ftpBody{sessionBody{&ftpTransfer{data: data}, s.session}, s.ServerConn}
	return resp, nil
}

// findEntry finds out what a name in the directory is. It tries MLST (RFC 3659 section
// 7), then SIZE, which only works for files, and CWD, which only works for directories.
// If the replies are ambiguous, it looks in the directory listing.
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
		parent = "./" + parent // many servers pass the name to ls, which would take it for an option
	}
	entries, err := withDataConn(s, s.List, parent)
	alike := ""
	for _, entry := range entries {
		if entry.Name == base {
			if entry.Type == ftp.EntryTypeFolder {
				return nil, s.commandFault("the directory cannot be opened", cwdErr)
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
		f.Hint = "there is " + quote(alike) + ", which differs in letter case"
	}
	return nil, fault
}

// sessionError returns the fault if the session is over, or nil if the server only
// rejected a command.
func (s *ftpSession) sessionError(err error) error {
	var said *textproto.Error
	switch {
	case errors.As(err, &said) && said.Code >= 500:
		return nil
	case errors.As(err, &said) && said.Code == 450:
		return nil // some servers mean "no such file"
	case errors.As(err, &said) && said.Code < 400:
		return nil // an unexpected reply; another command may succeed
	case said != nil:
		return s.replyFault("the server refused the command", said)
	case s.control.firstError() != nil:
		return s.connError(err)
	}
	var f *Fault
	if errors.As(err, &f) {
		return err
	}
	return nil // the library could not parse the reply
}

// commandFault returns the fault of a command that failed.
func (s *ftpSession) commandFault(what string, err error) error {
	var said *textproto.Error
	if errors.As(err, &said) {
		return s.replyFault(what, said)
	}
	return s.connError(err)
}

// redirectToSlash redirects to a directory that was requested without the final '/'.
func (s *ftpSession) redirectToSlash() *Response {
	return &Response{Status: 301, Location: s.url.WithoutFragment().String() + "/", Size: -1}
}

// directory returns the listing of the current directory.
func (s *ftpSession) directory() (*Response, error) {
	resp := &Response{ContentType: linkPageType, Size: -1}
	if s.session.req.Need == Existence {
		return resp, nil
	}
	entries, err := withDataConn(s, s.List, "")
	if err != nil {
		if !errors.Is(err, errTooLarge) && len(entries) == 0 || s.session.parent.Err() != nil {
			return nil, s.commandFault("the server does not list the directory", err)
		}
		resp.Notes = append(resp.Notes, Note{"body-truncated", "the directory listing was not read to its end"})
	}
	page := newLinkPage("Index of " + s.url.WithoutFragment().Printed())
	for _, entry := range entries {
		name := entry.Name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			name = name[i+1:] // some servers list whole paths
		}
		switch {
		case name == "" || name == "." || name == ".." || strings.IndexByte(name, 0) >= 0:
		case entry.Type == ftp.EntryTypeFolder:
			page.link(escapeSegment(name)+"/", name+"/")
		case entry.Type == ftp.EntryTypeLink && isAncestor(entry.Target):
			page.line(name) // following the link would never end
		default:
			page.link(escapeSegment(name), name)
		}
	}
	s.ServerConn.Quit()
	resp.Body = &sessionBody{page.body(), s.session}
	return resp, nil
}

// withDataConn runs a command that opens a data connection. The library panics if the
// parentheses around the address in reply 227 are in the wrong order.
func withDataConn[T any](s *ftpSession, command func(name string) (T, error), name string) (answer T, err error) {
	defer func() {
		if recover() != nil {
			err = refusal(s.url, "protocol-error", "the server named no usable address for its data connection", "")
		}
	}()
	return command(name)
}

// isAncestor reports whether the target of a symbolic link is a directory above it.
func isAncestor(target string) bool {
	return target == "/" || strings.Trim(target, "./") == "" && target != ""
}

// ftpBody is a file during its transfer. Closing it ends the session at once, also during
// the transfer.
type ftpBody struct {
	sessionBody
	control *ftp.ServerConn
}

func (b *ftpBody) Close() error {
	if b.Reader.(*ftpTransfer).err == io.EOF {
		b.control.Quit()
	}
	return b.sessionBody.Close()
}

// ftpTransfer reads a file. The server's reply decides whether it has ended: the connection
// may have ended by accident.
type ftpTransfer struct {
	data *ftp.Response
	err  error
}

func (r *ftpTransfer) Read(p []byte) (n int, err error) {
	if r.err == nil {
		if n, r.err = r.data.Read(p); r.err == io.EOF {
			if shut := r.data.Close(); shut != nil {
				r.err = shut
			}
		}
	}
	return n, r.err
}
