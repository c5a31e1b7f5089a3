package fetch

import (
	"context"
	"fmt"
)

// Fetchers returns a Fetcher for each scheme.
func (d *OtherSchemes) Fetchers() Mux {
	m := make(Mux)
	for _, row := range []schemeFetcher{
		{scheme: "ftp", port: 21},
		{scheme: "ftps", port: 990, secure: true},
		{scheme: "gopher", port: 70},
		{scheme: "news", port: 119},
		{scheme: "nntp", port: 119},
		{scheme: "snews", port: 563, secure: true},
		{scheme: "telnet", port: 23},
		{scheme: "ldap", port: 389},
		{scheme: "ldaps", port: 636, secure: true},
		{scheme: "dict", port: 2628},
		{scheme: "finger", port: 79},
		{scheme: "dns", port: 53},
	} {
		row.OtherSchemes = d
		m[row.scheme] = &row
	}
	m["ws"], m["wss"] = &webSocket{d.web}, &webSocket{d.web}
	return m
}

// Fetch sends a request to the server that a URL names.
func (d *schemeFetcher) Fetch(ctx context.Context, req *Request) (*Response, error) {
	return d.web.other(ctx, req, d.send)
}

func (d *schemeFetcher) send(ctx context.Context, req *Request) (*Response, error) {
	s := d.newSession(ctx, req)
	resp, err := d.request(s)
	if err != nil {
		err = s.fault("fetch", err)
		s.end()
		return nil, err
	}
	if resp.Body == nil {
		s.end() // otherwise the body's Close ends the session
	}
	resp.Requests = s.requests
	resp.Notes = append(resp.Notes, s.notes...)
	return resp, nil
}

// request sends the request of a session in the protocol of its scheme.
func (d *schemeFetcher) request(s *session) (*Response, error) {
	switch d.scheme {
	case "ftp", "ftps":
		return fetchFTP(s)
	case "gopher":
		return fetchGopher(s)
	case "news", "nntp", "snews":
		return fetchNews(s)
	case "telnet":
		return fetchTelnet(s)
	case "ldap", "ldaps":
		return fetchLDAP(s)
	case "dict":
		return fetchDict(s)
	case "finger":
		return fetchFinger(s)
	case "dns":
		return fetchDNS(s)
	}
	return nil, urlFault(s.req.URL, "scheme-unchecked", fmt.Sprintf("no fetcher for scheme %q", d.scheme))
}
