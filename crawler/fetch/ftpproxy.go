package fetch

import (
	"bufio"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// fetchFTPThroughProxy requests an ftp URL from an HTTP proxy, as curl and older
// browsers do: the proxy speaks FTP to the server and HTTP to this client (RFC 9112
// section 3.2.2, absolute form). The answer has an HTTP status. A proxy without FTP
// support answers with an error status such as 400 or 501.
func fetchFTPThroughProxy(s *session, through *url.URL) (*Response, error) {
	port := through.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[through.Scheme]
	}
	request, err := proxyRequest(s.req.URL, through, s.by.accounts, s.by.userAgent)
	if err != nil {
		return nil, err
	}
	if err := s.by.connector.dialer.checkProxied(s.ctx, s.req.URL.Host(), s.req.URL.Authority()); err != nil {
		return nil, err
	}
	address := net.JoinHostPort(through.Hostname(), port)
	s.requests++
	plain, err := s.by.connector.dialer.dial(s.ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	conn := s.bound(plain, s.by.maxBody+maxFTPListing)
	if through.Scheme == "https" {
		if err := s.handshake(conn, through.Hostname()); err != nil {
			return nil, unreachable("the proxy "+address, tlsFault(address, s.by.connector.timeout, err))
		}
		s.notes = nil // the certificate is not the target's
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
	if s.req.Need == Existence {
		return resp, nil
	}
	conn.streaming = true
	resp.Body = &sessionBody{answer.Body, s}
	return resp, nil
}

// proxyRequest returns the request as it is sent. If the URL contains no account, the
// configured account is added to it.
func proxyRequest(u urinorm.URL, through *url.URL, accounts *accounts, userAgent string) (string, error) {
	login := ""
	user, err := accounts.forSession(u)
	if err != nil {
		return "", err
	}
	if user != nil && user.name != "" {
		login = escapeSegment(user.name) + ":" + escapeSegment(user.password) + "@"
	}
	var b strings.Builder
	b.WriteString("GET ftp://" + login + u.Authority() + u.RequestTarget() + " HTTP/1.1\r\nHost: " + u.Authority() +
		"\r\nUser-Agent: " + userAgent + "\r\nAccept: */*\r\nConnection: close\r\n")
	if through.User != nil {
		password, _ := through.User.Password()
		b.WriteString("Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(through.User.Username()+":"+password)) + "\r\n")
	}
	b.WriteString("\r\n")
	return b.String(), nil
}
