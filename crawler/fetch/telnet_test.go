package fetch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// telnetd runs a Telnet server whose login program knows one user.
func telnetd(t *testing.T) string {
	t.Helper()
	login := filepath.Join(t.TempDir(), "login")
	script := "#!/bin/sh\nprintf 'machine login: '\nread -r user\nprintf 'Password: '\nread -r password\n" +
		"if [ \"$user:$password\" = 'joe:pass word' ]; then echo; echo 'Welcome, joe'; else echo; echo 'Login incorrect'; fi\nread -r end\n"
	if err := os.WriteFile(login, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return superServer(t, "telnetd", "-h", "-E", login).String()
}

func TestTelnetd(t *testing.T) {
	at := telnetd(t)
	_, others := newOtherSchemes(t, HTTPConfig{Timeout: 10 * time.Second}, OtherSchemesConfig{})
	for _, row := range []struct{ userinfo, want string }{
		{"", "ok"}, {"joe@", "ok"}, {"joe:pass%20word@", "ok"}, {"joe:wrong@", "file-unreadable"},
	} {
		resp, _, fault := fetchURL(t, others, "telnet://"+row.userinfo+at+"/", Existence)
		if got := verdict(resp, fault); got != row.want {
			t.Errorf("%q: %s (%v), want %s", row.userinfo, got, fault, row.want)
		}
		if fault != nil && strings.Contains(fault.Error(), "wrong") {
			t.Errorf("a password is message: %v", fault)
		}
	}
}

func TestTelnetNegotiation(t *testing.T) {
	const options = "\xff\xfd\x18\xff\xfb\x01\xff\xfa\x18\x01\xff\xff\xf0\xff\xf0\xff\xfc\x05\xff\xf1"
	server := serveLines(t, func(c *serverConn) {
		c.say(options + "hello\r\n\r\nUser\xff\xf9name: ")
		c.read()
		c.say("Pass\x00word:")
		c.read()
		c.say("\r\n\r\n$ ")
		c.hang()
	})
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	resp, _, fault := fetchURL(t, others, "telnet://joe:x@"+server.addr.String()+"/", Existence)
	if got := verdict(resp, fault); got != "ok" {
		t.Errorf("%s: %v", got, fault)
	}
	got := strings.Join(server.lines(), "")
	if want := "\xff\xfc\x18\xff\xfe\x01joe\r\nx\r\n"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

func TestTelnetFaults(t *testing.T) {
	for _, row := range []struct {
		name string
		talk func(*serverConn)
		want string
	}{
		{"no prompt", func(c *serverConn) { c.say("hello\r\n"); c.hang() }, "timeout"},
		{"closed", func(c *serverConn) { c.say("login: "); c.read() }, "connection-reset"},
		{"endless", func(c *serverConn) {
			for c.say(strings.Repeat("x", 4096)) {
			}
		}, "protocol-error"},
		{"options without end", func(c *serverConn) {
			go c.hang()
			for c.say(strings.Repeat("\xff\xfd\x18", 1024)) {
			}
		}, "protocol-error"},
		{"subnegotiation without end", func(c *serverConn) {
			for c.say("\xff\xfa" + strings.Repeat("x", 4096)) {
			}
		}, "protocol-error"},
	} {
		server := serveLines(t, row.talk)
		_, others := newOtherSchemes(t, HTTPConfig{Timeout: patience(row.want)}, OtherSchemesConfig{})
		_, _, fault := fetchURL(t, others, "telnet://joe:x@"+server.addr.String()+"/", Existence)
		if fault == nil || fault.Kind != row.want {
			t.Errorf("%s: %v, want %s", row.name, fault, row.want)
		}
	}
}
