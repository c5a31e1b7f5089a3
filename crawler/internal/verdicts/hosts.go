package verdicts

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// hostCounts counts the targets that are ok by their hosts.
type hostCounts struct {
	hosts  []int32 // of the targets, by ID-1: indexes of names
	names  []string
	counts []int            // by host
	known  map[string]int32 // hosts by the origin of a URL
	print  *scope.Printer
}

func newHostCounts(print *scope.Printer) *hostCounts {
	return &hostCounts{known: map[string]int32{}, print: print}
}

// add adds the next target. It does nothing if nobody wants the counts: h is nil.
func (h *hostCounts) add(job *frontier.Job) {
	if h == nil {
		return
	}
	origin := originOf(job.URL)
	host, ok := h.known[string(origin)]
	if !ok {
		host = int32(len(h.names))
		h.names = append(h.names, hostOf(h.print.Job(job)))
		h.counts = append(h.counts, 0)
		h.known[string(origin)] = host
	}
	h.hosts = append(h.hosts, host)
}

// count counts n targets with one document.
func (h *hostCounts) count(id frontier.ID, n int) {
	if h != nil && int(id) <= len(h.hosts) {
		h.counts[h.hosts[id-1]] += n
	}
}

// byName returns the counts by the names of the hosts.
func (h *hostCounts) byName() map[string]int {
	if h == nil {
		return nil
	}
	all := map[string]int{}
	for i, n := range h.counts {
		if n > 0 {
			all[h.names[i]] += n
		}
	}
	return all
}

// originOf returns a URL up to its path.
func originOf(url []byte) []byte {
	colon := bytes.IndexByte(url, ':')
	if colon < 0 {
		return nil
	}
	rest := url[colon+1:]
	if !bytes.HasPrefix(rest, []byte("//")) {
		return url[:colon+1]
	}
	if end := bytes.IndexAny(rest[2:], "/?#"); end >= 0 {
		return url[:colon+1+2+end]
	}
	return url
}

// hostOf returns the host and port of a printed URL, or its scheme with a colon if it has no
// host. It returns "" for the path of a local document.
func hostOf(printed string) string {
	scheme, rest, ok := strings.Cut(printed, ":")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return ""
	}
	authority, ok := strings.CutPrefix(rest, "//")
	if end := strings.IndexAny(authority, "/?#"); ok && end >= 0 {
		authority = authority[:end]
	}
	if !ok || authority == "" {
		return scheme + ":"
	}
	return authority[strings.LastIndexByte(authority, '@')+1:]
}
