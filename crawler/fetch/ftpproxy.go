package fetch

import (
	"bufio"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// askFTPProxy has a proxy of HTTP's fetch an ftp URL, as curl and browsers of old do:
// the proxy speaks FTP, and to us HTTP (RFC 9112 section 3.2.2, absolute form). The answer
// has HTTP's status. A proxy that knows no FTP says so by one, such as 400 or 501.
func askFTPProxy(v *visit, through *url.URL) (*Response, error) {
	port := through.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[through.Scheme]
	}
	request, err := v.proxyRequest(through)
	if err != nil {
		return nil, err
	}
	if err := v.web.dialer.checkProxied(v.ctx, v.req.URL.Host(), v.req.URL.Authority()); err != nil {
		return nil, err
	}
	address := net.JoinHostPort(through.Hostname(), port)
	v.requests++
	plain, err := v.web.dialer.dial(v.ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	conn := v.bound(plain, v.web.maxBody+maxFTPListing)
	if through.Scheme == "https" {
		if err := v.handshake(conn, through.Hostname()); err != nil {
			f := tlsFault(address, v.web.timeout, err)
			f.Local, f.Retry = true, true
			f.Err = &cause{"the proxy " + address + " can't be reached: " + f.Err.Error(), f.Err}
			return nil, f
		}
		v.notes = nil // its certificate is not the target's
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodGet})
	if err != nil {
		return nil, err
	}
	resp := &Response{Status: answer.StatusCode, Header: answer.Header, Location: locationOf(answer.Header),
		ContentType: declaredType(answer.Header), Size: answer.ContentLength}
	if answer.StatusCode == http.StatusProxyAuthRequired {
		resp.Proxy = through.Host
	}
	if v.req.Need == Existence {
		return resp, nil
	}
	conn.flow = true
	resp.Body = &proxiedBody{answer.Body, v}
	return resp, nil
}

// proxyRequest is the request as it goes over the wire. The account is in the URL,
// where it was given; one for the internal hosts is put there.
func (v *visit) proxyRequest(through *url.URL) (string, error) {
	u := v.req.URL
	login := ""
	user, err := v.account()
	if err != nil {
		return "", err
	}
	if user != nil && user.name != "" {
		login = escapeSegment(user.name) + ":" + escapeSegment(user.password) + "@"
	}
	var b strings.Builder
	b.WriteString("GET ftp://" + login + u.Authority() + u.RequestTarget() + " HTTP/1.1\r\nHost: " + u.Authority() +
		"\r\nUser-Agent: " + v.web.profiles.userAgent[0] + "\r\nAccept: */*\r\nConnection: close\r\n")
	if through.User != nil {
		password, _ := through.User.Password()
		b.WriteString("Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(through.User.Username()+":"+password)) + "\r\n")
	}
	b.WriteString("\r\n")
	return b.String(), nil
}

// proxiedBody is what a proxy fetched.
type proxiedBody struct {
	io.ReadCloser
	v *visit
}

func (b *proxiedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = b.v.bodyFault(err)
	}
	return n, err
}

// Close ends the visit: the rest of the body is not waited for.
func (b *proxiedBody) Close() error { b.v.end(); return nil }
