package fetch

import (
	"bufio"
	"io"
	"strings"
)

// maxFingerRequest is the size limit of a request, in bytes.
const maxFingerRequest = 512

// fetchFinger answers finger URLs (RFC 1288; finger://host/user, finger:user@host). Any
// answer of the server counts as success, because the protocol cannot report that a
// user does not exist. Requests to be forwarded to a third host are not sent (RFC 1288
// section 2.5.2, {Q2}).
func fetchFinger(s *session) (*Response, error) {
	u := s.req.URL
	request := strings.TrimPrefix(u.Path(), "/")
	if u.Host() == "" {
		user, host, found := strings.Cut(request, "@")
		if !found {
			return nil, invalidURL(s.req.URL, "the host is missing")
		}
		named, err := parseServer(host)
		if err != nil {
			return nil, invalidURL(s.req.URL, "the host is malformed")
		}
		u, request = named, user
	} else if u.HasUserinfo() && request == "" {
		request = u.Username()
	}
	request, err := decodeOnce(request, "")
	switch {
	case err != nil:
		return nil, invalidURL(s.req.URL, "the request "+err.Error())
	case strings.Contains(request, "@"):
		return nil, invalidURL(s.req.URL, "the request would be forwarded to another host")
	case len(request) > maxFingerRequest:
		return nil, invalidURL(s.req.URL, "the request is too long")
	}
	server, err := s.by.serverOf(u)
	if err != nil {
		return nil, err
	}
	conn, err := s.dial(server, maxReplyBytes)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		return nil, err
	}
	if _, err := bufio.NewReader(conn).ReadByte(); err != nil {
		return nil, err
	}
	return &Response{Size: -1}, nil
}
