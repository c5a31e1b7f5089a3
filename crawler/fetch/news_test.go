package fetch

import (
	"os/exec"
	"strings"
	"testing"
)

// snntpd runs a news server with one article in one group and returns its address.
func snntpd(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	t.Setenv("SNROOT", root)
	prepare := func(input, name string, args ...string) {
		cmd := exec.Command(program(t, name), args...)
		cmd.Stdin = strings.NewReader(input)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	prepare("", "snprimedb", "-i")
	prepare("", "snnewgroup", "local.test")
	prepare("From: a@example.com\r\nNewsgroups: local.test\r\nSubject: s\r\nMessage-ID: <one%two/3@example.com>\r\n"+
		"Date: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\nbody\r\n.\r\n", "snstore")
	return superServer(t, "snntpd.bin").String()
}

func TestSnntpd(t *testing.T) {
	at := snntpd(t)
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{NewsServer: at})
	for _, row := range []struct{ url, want string }{
		{"news:local.test", "ok"},
		{"news://" + at + "/local.test", "ok"},
		{"nntp://" + at + "/local.test", "ok"},
		{"nntp://" + at + "/local.test/1", "file-missing"}, // the numbers start at 10
		{"nntp://" + at + "/local.test/10", "ok"},
		{"nntp://" + at + "/local.test/", "ok"},
		{"news:no.such.group", "file-missing"},
		{"nntp://" + at + "/no.such.group/10", "file-missing"},
		{"news:one%25two%2F3@example.com", "ok"},
		{"news:%3Cone%25two/3@example.com%3E", "ok"},
		{"news://" + at + "/one%25two%2F3@example.com", "ok"},
		{"nntp://" + at + "/one%25two%2F3@example.com", "ok"},
		{"news:one%two@example.com", "file-missing"},
		{"news:local.*", "ok"},
		{"news:remote.*", "file-missing"},
		{"news:*", "ok"},
		{"news://" + at, "ok"},
	} {
		resp, _, fault := fetchURL(t, others, row.url, Existence)
		if got := verdict(resp, fault); got != row.want {
			t.Errorf("%s: %s (%v), want %s", row.url, got, fault, row.want)
		}
	}
}

func TestNewsWithoutServer(t *testing.T) {
	t.Setenv("NNTP_SERVER", "")
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for _, address := range []string{"news:comp.lang.go", "nntp:comp.lang.go", "snews:a@b"} {
		_, _, fault := fetchURL(t, others, address, Existence)
		if fault == nil || fault.Kind != "scheme-unchecked" || !mentions(fault, "--nntp-server") {
			t.Errorf("%s: %v, want scheme-unchecked", address, fault)
		}
	}
}

func TestNewsAnswers(t *testing.T) {
	for _, row := range []struct {
		name, greeting string
		answers        map[string]string
		want           string
	}{
		{"closed for now", "400 come back later\r\n", nil, "rate-limited"},
		{"closed for this client", "502 go away\r\n", nil, "file-unreadable"},
		{"an account is required", "200 hello\r\n", map[string]string{"GROUP": "480 who are you\r\n"}, "file-unreadable"},
		{"no such command", "200 hello\r\n", map[string]string{"GROUP": "500 what?\r\n"}, "protocol-error"},
		{"not a number", "200 hello\r\n", map[string]string{"GROUP": "yes, we have it\r\n"}, "protocol-error"},
		{"numbers that change", "200-hello\r\n201 hello\r\n", nil, "protocol-error"},
		{"closed in the middle", "200 hel", nil, "connection-reset"},
	} {
		server := serveLines(t, func(c *serverConn) {
			if !strings.HasSuffix(row.greeting, "\n") {
				c.say(row.greeting)
				return
			}
			c.script(row.greeting, row.answers)
		})
		_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
		resp, _, fault := fetchURL(t, others, "news://"+server.addr.String()+"/a.b", Existence)
		if got := verdict(resp, fault); got != row.want {
			t.Errorf("%s: %s (%v), want %s", row.name, got, fault, row.want)
		}
	}
}

// The account is sent only if the server asks for one, and only that of the URL or of
// the host.
func TestNewsAccount(t *testing.T) {
	server := serveLines(t, func(c *serverConn) {
		in := false
		c.say("200 hello\r\n")
		for line := c.read(); line != ""; line = c.read() {
			switch {
			case line == "AUTHINFO USER jim":
				c.say("381 go on\r\n")
			case line == "AUTHINFO PASS secret":
				in = true
				c.say("281 welcome\r\n")
			case in:
				c.say("211 1 1 1 a.b\r\n")
			default:
				c.say("480 who are you\r\n")
			}
		}
	})
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for user, want := range map[string]string{"jim:secret@": "ok", "jim:wrong@": "file-unreadable", "": "file-unreadable"} {
		resp, _, fault := fetchURL(t, others, "nntp://"+user+server.addr.String()+"/a.b", Existence)
		if got := verdict(resp, fault); got != want {
			t.Errorf("%q: %s (%v), want %s", user, got, fault, want)
		}
	}
	for i, line := range server.lines() {
		if i == 0 && line != "GROUP a.b\r\n" {
			t.Errorf("the first command is %q", line)
		}
	}
}
