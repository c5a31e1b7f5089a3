package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// OtherSchemesConfig configures requests to servers of schemes other than http and
// https. Limits, name servers, accounts and allowed ports are those of the HTTP.
type OtherSchemesConfig struct {
	// NewsServer is the server for news: URLs without a server: "host" or "host:port".
	// "" means NNTP_SERVER in the environment; if that is empty too, such URLs are
	// skipped.
	NewsServer string
	// DNSServer ("address:port") is the server for DNS records other than host
	// addresses: those of dns: URLs and mail exchangers. "" means the system's.
	DNSServer string
}

// OtherSchemes creates the Fetchers of schemes other than http and https: ftp, ftps,
// gopher, news, nntp, snews, telnet, ldap, ldaps, ws, wss, dict, finger and dns. It
// also probes mail servers. The connections follow the configuration of an HTTP: the
// same resolver, certificate rules, forbidden private addresses and --connect-to. A
// SOCKS proxy is used for all schemes but dns. An HTTP proxy is used for ws, wss and
// ftp; the other schemes connect directly because it cannot forward them.
//
// Control characters and the byte 255 (Telnet's IAC) are rejected before any part of a
// URL is sent to a server of a line-based protocol (RFC 3986 section 7.2). As with
// HTTP, each step and the whole session have time limits, and the size of answers is
// limited.
//
// Answers have Status 0, except redirects: an FTP directory without its final slash
// (301), an LDAP referral (302). ws and wss have HTTP statuses. Faults have HTTP's
// kinds and the following, which correspond to the status codes of these protocols:
//
//	file-missing     the server says that the target does not exist
//	file-unreadable  the server requires an account, or a different one
//	rate-limited     the server is busy or temporarily refuses clients
//	uri-invalid      the URL cannot be sent to a server of its scheme
//	scheme-unchecked there is no server, or nothing that can be checked
//
// OtherSchemes is safe for concurrent use. It needs no Close, but the HTTP must stay
// open while it is in use.
type OtherSchemes struct {
	web        *HTTP
	connector  connector
	accounts   *accounts
	maxBody    int64
	userAgent  string
	newsServer urinorm.URL // zero if there is none
	records    *net.Resolver
	ports      map[int]bool // allowed by the user
}

// NewOtherSchemes checks the configuration. It sends nothing.
func NewOtherSchemes(web *HTTP, config OtherSchemesConfig) (*OtherSchemes, error) {
	tlsConfig := web.transports.fallback.TLSClientConfig.Clone()
	tlsConfig.NextProtos = nil
	d := &OtherSchemes{web: web, accounts: &web.accounts, maxBody: web.maxBody, userAgent: web.profiles.userAgent[0], ports: make(map[int]bool),
		connector: connector{web.timeout, web.origins, tlsConfig, web.verifier, web.resolver, web.dialer, web.proxies}}
	for _, port := range web.allowPorts {
		d.ports[port] = true
	}
	server := config.NewsServer
	if server == "" && !web.noEnvironment {
		server = os.Getenv("NNTP_SERVER")
	}
	if server != "" {
		var err error
		if d.newsServer, err = parseServer(server); err != nil {
			return nil, err
		}
	}
	if config.DNSServer != "" {
		if err := checkNameServer(config.DNSServer); err != nil {
			return nil, err
		}
	}
	d.records = recordResolver(config.DNSServer)
	return d, nil
}

// CheckNewsServer returns an error if server is not "host" or "host:port", with IPv6
// addresses in brackets.
func CheckNewsServer(server string) error {
	_, err := parseServer(server)
	return err
}

// parseServer parses "host" or "host:port". The result has no path.
func parseServer(s string) (urinorm.URL, error) {
	u, _, err := urinorm.ParseWeb("nntp://" + s)
	if err != nil || u.Host() == "" || u.HasUserinfo() || u.RequestTarget() != "" {
		return urinorm.URL{}, fmt.Errorf("parse server %q: want HOST or HOST:PORT", s)
	}
	return u, nil
}

// schemeFetcher is the Fetcher of one scheme.
type schemeFetcher struct {
	*OtherSchemes
	scheme string
	port   int  // the default port
	secure bool // TLS from the first byte
}

// other sends a request over another scheme, lets the Recorder see what becomes of it, or answers it
// from what was kept.
func (h *HTTP) other(ctx context.Context, req *Request, send func(context.Context, *Request) (*Response, error)) (*Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	asker := traffic.AskerOf(ctx, req.URL)
	if h.replayer != nil {
		return replayOther(h.replayer.Begin(asker, req.URL.WithoutFragment()), req)
	}
	if h.recorder == nil || asker.Hidden {
		return send(ctx, req)
	}
	got := &Other{URL: req.URL.WithoutFragment(), Asker: asker, Page: isPage(asker, req), Need: req.Need, At: time.Now()}
	resp, err := send(ctx, req)
	if err != nil {
		if errors.As(err, &got.Fault) {
			h.recorder.Other(got)
		}
		return nil, err
	}
	kept := *resp
	if got.Response = &kept; resp.Body == nil {
		h.recorder.Other(got)
		return resp, nil
	}
	got.Body = []byte{}
	resp.Body = &otherBody{ReadCloser: resp.Body, to: h.recorder, got: got}
	return resp, nil
}

// replayOther answers a request over another scheme from what was kept.
func replayOther(from Replay, req *Request) (*Response, error) {
	kept := from.Other()
	if kept == nil || kept.Response != nil && req.Need == Content && kept.Need != Content {
		return nil, &Fault{Kind: EvidenceMissing, Op: "replay", Target: req.URL.WithoutFragment().Printed(), Err: from.Missing()}
	}
	if kept.Response == nil {
		countRequests(kept.Fault, from.Requests())
		return nil, kept.Fault
	}
	resp := kept.Response
	if resp.Requests = from.Requests(); req.Need == Content && kept.Body != nil {
		resp.Body = &replayedBody{bytes.NewReader(kept.Body), kept.Fault}
	}
	return resp, nil
}

// replayedBody is a body that ends as the one did that was kept.
type replayedBody struct {
	*bytes.Reader
	end *Fault // nil if it is whole
}

func (b *replayedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF && b.end != nil {
		err = b.end
	}
	return n, err
}

func (b *replayedBody) Close() error { return nil }

// serverAddr is the server that a URL or the configuration names.
type serverAddr struct {
	host string // in the form that resolvers use, IPv6 addresses without brackets
	port int
}

func (s serverAddr) hostport() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// serverOf returns the server of a URL and rejects ports that belong to other services.
// It normalizes the host, which URLs of these schemes do not.
func (d *schemeFetcher) serverOf(u urinorm.URL) (serverAddr, error) {
	s := serverAddr{port: d.port}
	host, err := hostName(u.Host())
	if err != nil {
		return s, invalidURL(u, err.Error())
	}
	s.host = host
	if len(s.host) > maxHostName {
		return s, &Fault{Kind: "dns-not-found", Op: "look up", Target: u.Authority(), Err: errors.New("the host name is longer than DNS allows")}
	}
	if port := u.Port(); port != "" {
		s.port, _ = parsePort(port)
	}
	if reason := d.blockedReason(s.port); reason != "" {
		return s, urlFault(u, "port-blocked", reason)
	}
	return s, nil
}

// urlFault returns the fault of a URL for which no request is sent.
func urlFault(u urinorm.URL, kind, reason string) *Fault {
	return &Fault{Kind: kind, Op: "fetch", Target: u.WithoutFragment().Printed(), Err: errors.New(reason)}
}

// invalidURL returns the fault of a URL that cannot be sent to a server of its scheme.
func invalidURL(u urinorm.URL, reason string) *Fault { return urlFault(u, "uri-invalid", reason) }

// blockedReason returns why a port is not used, or "". It blocks well-known ports other
// than the scheme's own, because lines of this protocol may harm the service there (RFC
// 3986 section 7.2).
func (d *schemeFetcher) blockedReason(port int) string {
	if port == d.port || d.ports[port] || slices.Contains(alternatePorts[d.scheme], port) {
		return ""
	}
	if service := blockedPorts[port]; service != "" {
		return fmt.Sprintf("port %d belongs to another service (%s)", port, service)
	}
	if _, bad := blockedPorts[port]; bad || port < 1024 {
		return fmt.Sprintf("port %d belongs to another service", port)
	}
	return ""
}

// alternatePorts are other ports that belong to a scheme.
var alternatePorts = map[string][]int{
	"ftp":  {990},
	"ftps": {21},
	"news": {563},
	"nntp": {563},
}

// hostName returns a URL's host in the form that resolvers need. The URL parser does
// this only for special schemes and leaves other hosts percent-encoded as written (URL
// Standard 3.5, opaque hosts).
func hostName(host string) (string, error) {
	if host == "" {
		return "", errors.New("the host is missing")
	}
	u, _, err := urinorm.ParseWeb("http://" + host + "/")
	if err != nil || u.Host() == "" || u.Path() != "/" {
		return "", errors.New("the host is malformed")
	}
	return strings.Trim(u.Host(), "[]"), nil
}

// forSession returns the account to log in with: from the URL, else the one configured for
// the host, else nil.
func (a *accounts) forSession(u urinorm.URL) (*account, error) {
	if !u.HasUserinfo() {
		return a.forURL(u), nil
	}
	name, err := decodeOnce(u.Username(), "")
	if err == nil {
		var password string
		if password, err = decodeOnce(u.Password(), ""); err == nil {
			return &account{name, password}, nil
		}
	}
	return nil, invalidURL(u, "the user name or password "+err.Error())
}

// decodeOnce percent-decodes a part of a URL once. It rejects what must not reach a
// server of a line-based protocol: control characters that are not in allowed, and the
// byte 255, which is Telnet's IAC.
func decodeOnce(part, allowed string) (string, error) {
	decoded := percentDecode(part)
	for i := range len(decoded) {
		if c := decoded[i]; (c < 0x20 || c == 0x7F) && strings.IndexByte(allowed, c) < 0 {
			return "", errControl
		} else if c == 0xFF {
			return "", errIAC
		}
	}
	return decoded, nil
}

var (
	errControl = errors.New("contains a control character, which must not be sent to a server")
	errIAC     = errors.New("contains the byte 255, which servers treat as a command")
)

// percentDecode decodes percent-encoded bytes and keeps any other '%'.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if octet, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(octet))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
