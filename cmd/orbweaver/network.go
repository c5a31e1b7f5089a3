package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// compileNetwork reads the settings of connections. The contents of files that they name
// are read when the fetcher is made.
func compileNetwork(c *compiler) fetch.HTTPConfig {
	s := c.settings
	n := fetch.HTTPConfig{
		Version:       version(),
		UserAgent:     read(c, "user-agent", parseFieldValue),
		Timeout:       read(c, "timeout", parseTimeout),
		CAFile:        read(c, "ca-file", parseFile),
		Insecure:      s.On("insecure"),
		Secrets:       fetch.Secrets{ClientCert: read(c, "client-cert", parseFile), ClientKey: read(c, "client-key", parseFile), Cookies: read(c, "cookies", parseFile), Header: http.Header{}},
		Proxy:         read(c, "proxy", parseProxy),
		ConnectTo:     readAll(c, "connect-to", parseConnectTo),
		DNSServer:     read(c, "dns-server", parseServer),
		AddressPolicy: fetch.AddressPolicy{DenyPrivate: s.On("deny-private")},
		AllowPorts:    readAll(c, "allow-port", parseAllowedPort),
	}
	c.refuse(n.ClientKey != "" && n.ClientCert == "", "client-key", "it needs --client-cert")
	n.ClientKey = cmp.Or(n.ClientKey, n.ClientCert) // one file may contain both, as in curl
	if s.Given("user") {
		name, _, found := strings.Cut(s.Text("user"), ":")
		c.refuse(!found || name == "", "user", "use NAME:PASSWORD") // the value may contain a secret
		n.Credentials = s.Text("user")
	}
	c.refuse(s.On("netrc-any-port") && !s.On("netrc"), "netrc-any-port", "it needs --netrc")
	if s.On("netrc") {
		n.Netrc, n.NetrcAnyPort = readText(c, "netrc", netrcFile(os.Getenv), parseFile), s.On("netrc-any-port")
	}
	for _, text := range s.List("header") {
		if text == "" {
			continue // it only drops the values of the configuration file
		}
		name, value, err := parseHeader(text)
		if c.refuse(err != nil, "header", "%w", err); err == nil {
			n.Header.Add(name, value)
		}
	}
	return n
}

// proxyNote is for runs with --deny-private that use a proxy.
const proxyNote = "deny-private cannot see the addresses behind the proxy, which resolves names itself; only names and addresses that this machine knows as private are skipped"

func parseTimeout(s string) (d time.Duration, err error) {
	if d, err = quantity.ParseDuration(s); err == nil && d == 0 {
		err = errors.New("use a duration greater than zero")
	}
	return d, err
}

func parseAllowedPort(s string) (int, error) {
	port, err := strconv.ParseUint(s, 10, 16)
	if err != nil || port == 0 {
		return 0, errors.New("use a number from 1 to 65535")
	}
	return int(port), nil
}

func parseNewsServer(s string) (string, error) {
	if fetch.CheckNewsServer(s) != nil {
		return "", errors.New("use HOST or HOST:PORT")
	}
	return s, nil
}

func parseFieldValue(s string) (string, error) {
	if !httpguts.ValidHeaderFieldValue(s) {
		return "", errors.New("use text without control characters")
	}
	return s, nil
}

// parseFile checks that a file can be opened, and returns its name.
func parseFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("the file cannot be read: %w", withoutPath(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", errors.New("it is a directory, not a file")
	}
	return name, nil
}

// parseProxy reads the URL of a proxy. The default scheme is http, as in curl.
func parseProxy(s string) (string, error) {
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	wrong := errors.New("use an http, https, socks5 or socks5h URL, such as http://proxy.example.com:3128")
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return "", wrong
	}
	if n, err := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16); err != nil || n == 0 {
		return "", errors.New("use a port from 1 to 65535")
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
		return s, nil
	}
	return "", wrong
}

// parseServer reads the address of a name server. The default port is 53.
func parseServer(s string) (string, error) {
	if ip, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return netip.AddrPortFrom(ip, 53).String(), nil
	}
	server, err := netip.ParseAddrPort(s)
	if err != nil || server.Port() == 0 {
		return "", errors.New("use an IP address and a port, such as 9.9.9.9:53")
	}
	return server.String(), nil
}

func parseConnectTo(s string) (fetch.ConnectTo, error) {
	rule, err := fetch.ParseConnectTo(s)
	if err != nil {
		return rule, errors.New("use HOST:PORT:ADDR:PORT, with IPv6 addresses in brackets")
	}
	return rule, nil
}

// netrcFile returns the file with credentials: $NETRC, or .netrc in the home directory,
// or _netrc on Windows if only that exists.
func netrcFile(env func(string) string) string {
	if name := env("NETRC"); name != "" {
		return name
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ".netrc"
	}
	name := filepath.Join(home, ".netrc")
	if _, err := os.Stat(name); err != nil && runtime.GOOS == "windows" {
		name = filepath.Join(home, "_netrc")
	}
	return name
}
