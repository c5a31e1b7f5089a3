package fetch

import (
	"fmt"
	"net"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// ConnectTo sends connections for one host and port to another, as curl's --connect-to
// does. The URL, the Host header and the TLS server name stay the same.
type ConnectTo struct {
	// From and To are "host:port", with IPv6 addresses in brackets. An empty host or
	// port means any in From, and the same as in the URL in To.
	From, To string
}

// ParseConnectTo parses HOST1:PORT1:HOST2:PORT2 (curl(1), --connect-to).
func ParseConnectTo(s string) (ConnectTo, error) {
	var parts []string
	for rest := s; ; {
		part := rest
		end := strings.IndexByte(rest, ':')
		if strings.HasPrefix(rest, "[") {
			bracket := strings.IndexByte(rest, ']')
			if bracket < 0 {
				return ConnectTo{}, fmt.Errorf("parse connect-to %q: missing ']'", s)
			}
			if end = bracket + 1; end == len(rest) {
				end = -1
			} else if rest[end] != ':' {
				return ConnectTo{}, fmt.Errorf("parse connect-to %q: missing ':' after ']'", s)
			}
		}
		if end >= 0 {
			part = rest[:end]
		}
		parts = append(parts, part)
		if end < 0 {
			break
		}
		rest = rest[end+1:]
	}
	if len(parts) != 4 {
		return ConnectTo{}, fmt.Errorf("parse connect-to %q: want HOST1:PORT1:HOST2:PORT2", s)
	}
	c := ConnectTo{From: parts[0] + ":" + parts[1], To: parts[2] + ":" + parts[3]}
	_, err := c.compile()
	return c, err
}

// connectTo is a parsed ConnectTo; its hosts have no brackets.
type connectTo struct {
	fromHost, fromPort string
	toHost, toPort     string
}

func (c ConnectTo) compile() (connectTo, error) {
	var compiled connectTo
	var err error
	if compiled.fromHost, compiled.fromPort, err = net.SplitHostPort(c.From); err != nil {
		return compiled, fmt.Errorf("parse connect-to %q: %w", c.From, err)
	}
	if compiled.toHost, compiled.toPort, err = net.SplitHostPort(c.To); err != nil {
		return compiled, fmt.Errorf("parse connect-to %q: %w", c.To, err)
	}
	if u, _, err := urinorm.ParseWeb("http://" + compiled.fromHost + "/"); err == nil && compiled.fromHost != "" {
		compiled.fromHost = strings.Trim(u.Host(), "[]") // in the form that connections use: IDNA, lower case
	}
	for _, port := range []string{compiled.fromPort, compiled.toPort} {
		if _, ok := parsePort(port); port != "" && !ok {
			return compiled, fmt.Errorf("parse connect-to %q: %q is not a port", c.From+":"+c.To, port)
		}
	}
	return compiled, nil
}

// redirectConnection returns the address to connect to instead of hostport. The first
// rule that matches decides.
func redirectConnection(rules []connectTo, hostport string) string {
	if len(rules) == 0 {
		return hostport
	}
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return hostport
	}
	for _, rule := range rules {
		if rule.fromHost != "" && !strings.EqualFold(rule.fromHost, host) || rule.fromPort != "" && rule.fromPort != port {
			continue
		}
		if rule.toHost != "" {
			host = rule.toHost
		}
		if rule.toPort != "" {
			port = rule.toPort
		}
		return net.JoinHostPort(host, port)
	}
	return hostport
}
