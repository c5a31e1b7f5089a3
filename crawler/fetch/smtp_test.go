package fetch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/urinorm"
)

// aiosmtpd runs a mail server that knows one mailbox, and prints a line for each
// message it receives.
func aiosmtpd(t *testing.T) string {
	t.Helper()
	const script = `
import asyncio
from aiosmtpd.smtp import SMTP
class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        name = address.split("@")[0]
        answer = {"joe": "250 2.1.5 ok", "full": "452 4.2.2 mailbox full", "jörg": "250 ok",
                  "stranger": "550 5.7.1 we do not know you", "old": "550 user unknown here"}.get(name, "550 5.1.1 no such mailbox")
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer
    async def handle_DATA(self, server, session, envelope):
        raise SystemExit("a message came")
async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(), enable_SMTPUTF8=True), "127.0.0.1", 0)
    print("listening on", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
`
	line := background(t, "listening on", crawlertest.Python(t, "aiosmtpd"), "-c", script)
	return "127.0.0.1:" + strings.Fields(line)[2]
}

func TestProbeMail(t *testing.T) {
	server := aiosmtpd(t)
	names := dnsmasq(t,
		"--mx-host=example.com,dead.example.com,10", "--mx-host=example.com,mx.example.com,20", "--host-record=mx.example.com,127.0.0.1",
		"--host-record=dead.example.com,127.0.0.2", "--host-record=bare.example.com,127.0.0.1",
		"--mx-host=all-dead.example.com,dead.example.com,10", "--mx-host=no-address.example.com,nothing.example.com,10")
	d, _ := newOtherSchemes(t, HTTPConfig{DNSServer: names, ConnectTo: []ConnectTo{
		{From: "mx.example.com:25", To: server}, {From: "bare.example.com:25", To: server},
		{From: "dead.example.com:25", To: "127.0.0.1:1"},
	}}, OtherSchemesConfig{DNSServer: names})
	for _, row := range []struct{ address, want string }{
		{"joe@example.com", ""},
		{"j%C3%B6rg@example.com", ""},
		{"joe@bare.example.com", ""},
		{"nobody@example.com", "file-missing"},
		{"old@example.com", "file-missing"},
		{"full@example.com", "rate-limited"},
		{"stranger@example.com", "file-unreadable"},
		{"joe@all-dead.example.com", "connection-reset"},
		{"joe@no-address.example.com", "dns-not-found"},
		{"joe@[192.0.2.1]", ""},
	} {
		m, err := urinorm.ParseMailto("mailto:" + row.address)
		if err != nil {
			t.Fatal(err)
		}
		err = d.ProbeMail(t.Context(), m.To[0])
		var fault *Fault
		if errors.As(err, &fault) && fault.Kind != row.want || err == nil && row.want != "" || err != nil && row.want == "" {
			t.Errorf("%s: %v, want %q", row.address, err, row.want)
		}
	}
}

// The complete dialog with a mail server never includes DATA.
func TestProbeMailDialogue(t *testing.T) {
	server := serveLines(t, func(c *serverConn) {
		c.script("220-hello\r\n220 there\r\n", map[string]string{"EHLO": "502 what?\r\n", "": "250 ok\r\n", "RCPT": "550-5.1.1 no\r\n550 5.1.1 such\r\n"})
	})
	names := dnsmasq(t, "--mx-host=example.com,mx.example.com,20", "--host-record=mx.example.com,127.0.0.1")
	d, _ := newOtherSchemes(t, HTTPConfig{DNSServer: names, ConnectTo: []ConnectTo{{From: "mx.example.com:25", To: server.addr.String()}}}, OtherSchemesConfig{DNSServer: names})
	err := d.ProbeMail(t.Context(), urinorm.Address{Local: `"a b"`, Domain: "example.com"})
	var fault *Fault
	if !errors.As(err, &fault) || fault.Kind != "file-missing" || fault.Requests != 1 {
		t.Errorf("%v, want file-missing", err)
	}
	want := []string{"EHLO [127.0.0.1]\r\n", "HELO [127.0.0.1]\r\n", "MAIL FROM:<>\r\n", "RCPT TO:<\"a b\"@example.com>\r\n"}
	if got := server.lines(); len(got) < 4 || !slices.Equal(got[:4], want) {
		t.Errorf("said %q, want %q", got, want)
	}
	err = d.ProbeMail(t.Context(), urinorm.Address{Local: "a>\r\nDATA", Domain: "example.com"})
	if !errors.As(err, &fault) || fault.Kind != "uri-invalid" {
		t.Errorf("an address with a line ending: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.ProbeMail(ctx, urinorm.Address{Local: "a", Domain: "example.com"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestIsMailboxMissing(t *testing.T) {
	for text, want := range map[string]bool{
		"5.1.1 no such user": true, "5.7.1 user unknown, they say": false, "User unknown": true, "5.2.1 disabled": true,
		"relaying denied": false, "5.1.2 bad domain": false, "": false,
	} {
		if got := isMailboxMissing(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
