package verdicts

import (
	"bytes"
	"net/netip"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// names is what a crawl tells of the name server that it asked. A server that knows no name at
// all, such as that of a network that one must sign in to, says of every name that it does not
// exist. Then no target is called dead because of its name.
type names struct {
	resolved bool
	missing  []string // the first two names that do not exist
	site     []byte   // scheme and host of the target that was looked at last
}

// doubtful reports whether no name could be resolved. One name that does not exist is what it
// seems to be: there is nothing to compare it with.
func (n *names) doubtful() bool { return !n.resolved && len(n.missing) > 1 }

// add takes in the outcome of a target.
func (n *names) add(job *frontier.Job, g judging.Glance) {
	missing := g.Code == check.CodeDNSNotFound
	if n.resolved || job.Verbatim || !missing && !answered(g) || !missing && n.site != nil && bytes.HasPrefix(job.URL, n.site) {
		return
	}
	u, _, err := urinorm.ParseWeb(string(job.URL))
	if err != nil {
		return
	}
	host := strings.TrimSuffix(u.Host(), ".")
	switch u.Scheme() {
	case "dns":
		host = u.Path()
	case "mailto":
		_, host, _ = strings.Cut(u.Path(), "@")
	}
	if !missing {
		n.site = append(append(n.site[:0], u.Scheme()...), "://"+u.Authority()+"/"...)
		n.resolved = isResolved(u.Scheme(), host)
		return
	}
	if len(n.missing) < 2 && (len(n.missing) == 0 || n.missing[0] != host) && scope.ReservedName(scope.HrefOf(u)) == "" {
		n.missing = append(n.missing, host)
	}
}

// answered reports whether an outcome shows that the name of the target exists.
func answered(g judging.Glance) bool {
	return len(g.Path) == 0 && (g.OK || g.Redirect || g.Code == "" || g.Code == check.CodeConnectRefused || strings.HasPrefix(string(g.Code), "tls-"))
}

// isResolved reports whether a name server was asked for a host: not for an address, and not
// for a name of this machine. Mail addresses are OK without a look at their domains if
// Judging.SkipMail is set, so they are no evidence.
func isResolved(scheme, host string) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || scheme == "mailto" {
		return false
	}
	return host != "" && host != "localhost" && !strings.HasSuffix(host, ".localhost")
}
