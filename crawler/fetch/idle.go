package fetch

import "net/http"

// idler keeps connections for later requests.
type idler interface{ CloseIdleConnections() }

// CloseIdleConnections closes the connections that are kept for later requests.
// A run that is short of descriptors or ports gets some back by it.
func (h *HTTP) CloseIdleConnections() {
	for _, t := range []*http.Transport{h.remote, h.fallback, h.loopback} {
		t.CloseIdleConnections()
	}
	h.addressed.mu.Lock()
	defer h.addressed.mu.Unlock()
	for _, t := range h.addressed.transports {
		t.CloseIdleConnections()
	}
}

// CloseIdleConnections closes what its fetchers keep.
func (m Mux) CloseIdleConnections() {
	for _, f := range m {
		if i, ok := f.(idler); ok {
			i.CloseIdleConnections()
		}
	}
}
