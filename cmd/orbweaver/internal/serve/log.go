package serve

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/report"
)

// accessLog writes one line for each request, and notes.
type accessLog struct {
	mu  sync.Mutex
	out io.Writer
	now func() time.Time
}

func newAccessLog(out io.Writer) *accessLog { return &accessLog{out: out, now: time.Now} }

func (l *accessLog) printf(format string, args ...any) {
	l.line("orbweaver: " + fmt.Sprintf(format, args...))
}

// request writes the line of a request: time, client, who, method, path, status, bytes and
// time taken. Queries are left out, because some have tokens.
func (l *accessLog) request(r *http.Request, identity *auth.Identity, w *countingWriter, client netip.Addr, began time.Time) {
	who := "-"
	if identity != nil {
		who = identity.Name
	}
	path := r.URL.EscapedPath()
	for _, public := range []string{"/share/", "/status/"} {
		if strings.Contains(path, public) {
			path = public + "…" // a token follows
		}
	}
	now := l.now()
	l.line(fmt.Sprintf("%s %s %s %s %s %d %d %dms", now.UTC().Format("2006-01-02T15:04:05.000Z"), client, who, r.Method, path, w.status, w.size, now.Sub(began).Milliseconds()))
}

// line writes a line without control characters, which a request or another server could bring.
func (l *accessLog) line(text string) {
	text = strings.Map(func(r rune) rune {
		if report.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, text)
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.out, text)
}
