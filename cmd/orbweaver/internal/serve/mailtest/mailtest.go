// Package mailtest has a mail server for tests.
package mailtest

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// Serve is aiosmtpd, which prints each mail as a line of JSON. With a password it
// demands it after STARTTLS.
func Serve(t testing.TB, password string) (port string, received <-chan map[string]string) {
	t.Helper()
	python := crawlertest.Python(t, "aiosmtpd")
	const script = `
import asyncio, json, ssl, subprocess, sys
from aiosmtpd.smtp import SMTP, AuthResult
class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody"):
            return "550 5.1.1 no such mailbox"
        if address.startswith("full"):
            return "452 4.2.2 mailbox full"
        envelope.rcpt_tos.append(address)
        return "250 ok"
    async def handle_DATA(self, server, session, envelope):
        print(json.dumps({"from": envelope.mail_from, "to": " ".join(envelope.rcpt_tos), "data": envelope.content.decode(), "tls": str(session.ssl is not None), "user": str(session.auth_data)}), flush=True)
        return "250 ok"
options = {}
if sys.argv[1]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    def check(server, session, envelope, mechanism, data):
        ok = data.login == b"joe" and data.password == sys.argv[1].encode()
        return AuthResult(success=ok, handled=ok, auth_data="joe" if ok else None)
    options = dict(tls_context=context, require_starttls=True, authenticator=check, auth_required=True)
async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(), **options), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
`
	cert := (*crawlertest.Authority)(nil).Leaf(t, "localhost").File(t) // it signs itself, as those of mail servers of a machine do
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, python, "-W", "ignore", "-c", script, password, cert)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	line, err := in.ReadString('\n')
	if err != nil {
		cancel()
		t.Fatalf("aiosmtpd did not start: %v, %v", err, cmd.Wait())
	}
	mails := make(chan map[string]string, 10)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			text, err := in.ReadString('\n')
			if err != nil {
				return
			}
			var m map[string]string
			if json.Unmarshal([]byte(text), &m) == nil {
				mails <- m
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done; cmd.Wait() })
	return strings.TrimSpace(line), mails
}
