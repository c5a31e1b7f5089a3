package redisstore

import (
	"net"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// routes finds the server of a host. All hosts of a registrable domain have the same one, so that it can
// keep the limits of the domain, too.
type routes struct {
	servers int

	mu    sync.Mutex
	known map[string]int // of hosts
}

// mostRoutes is how many hosts are remembered.
const mostRoutes = 1 << 16

// of returns the server of a host, which may have a port.
func (r *routes) of(host []byte) int {
	if r.servers == 1 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, ok := r.known[string(host)]; ok {
		return n
	}
	if r.known == nil || len(r.known) >= mostRoutes {
		r.known = map[string]int{}
	}
	n := ServerOf(string(host), r.servers)
	r.known[string(host)] = n
	return n
}

// ServerOf returns the number of the server, from 0, that has the targets of a host.
func ServerOf(host string, servers int) int {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if domain := urinorm.RegistrableDomain(host); domain != "" {
		host = domain
	}
	return int(xxhash.Sum64String(host) % uint64(servers))
}

// ofItems returns the servers of items.
func (r *routes) ofItems(items []frontier.Item) []int {
	list := make([]int, len(items))
	if r.servers == 1 {
		return list
	}
	for i := range items {
		if it := &items[i]; it.ID != 0 {
			list[i] = int(it.ID % frontier.ID(r.servers))
		} else {
			list[i] = r.of(it.Host)
		}
	}
	return list
}
