package serve

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// newMux returns a mux with a pattern for each row of the table. It panics if two rows conflict.
func newMux(table []route) *http.ServeMux {
	mux := http.NewServeMux()
	for i := range table {
		mux.Handle(table[i].pattern(), &table[i])
	}
	return mux
}

// pattern returns the pattern of a row. HEAD matches wherever GET does.
func (r *route) pattern() string {
	if strings.HasSuffix(r.Path, "/") {
		return r.Method + " " + r.Path + "{$}"
	}
	return r.Method + " " + r.Path
}

// params returns the values of the segments in braces.
func (r *route) params(req *http.Request) map[string]string {
	all := map[string]string{}
	for segment := range strings.SplitSeq(r.Path, "/") {
		if name, found := strings.CutPrefix(segment, "{"); found {
			name = strings.TrimSuffix(name, "}")
			all[name] = req.PathValue(name)
		}
	}
	return all
}

type callKey struct{}

// ServeHTTP tells the call that the row matches. The call continues, so nothing is handled
// before its checks.
func (r *route) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	c := req.Context().Value(callKey{}).(*call)
	c.Request, c.route, c.near = req, r, r
}

// methods are the methods that rows have.
var methods = []string{http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut}

// match finds the row for the request. If only the method is wrong, it sets allowed instead. A
// path that is not clean, which the mux would redirect, has no row.
func (c *call) match() {
	decoded, err := url.PathUnescape(c.path)
	if clean := path.Clean("/" + c.path); err != nil || clean != c.path && (clean == "/" || clean+"/" != c.path) {
		return
	}
	req := c.WithContext(context.WithValue(c.Context(), callKey{}, c))
	address := *c.URL
	address.Path, address.RawPath = decoded, c.path
	req.URL = &address
	if c.matches(req) {
		return
	}
	asked := req.Method
	for _, method := range methods {
		if req.Method = method; c.matches(req) {
			c.allowed = append(c.allowed, method)
		}
	}
	c.route, req.Method = nil, asked
}

// matches reports whether a row matches, which the call then has.
func (c *call) matches(req *http.Request) bool {
	_, pattern := c.server.mux.Handler(req)
	if pattern != "" {
		c.server.mux.ServeHTTP(c.w, req)
	}
	return pattern != ""
}
