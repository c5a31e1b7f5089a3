package admit

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// FactCookie begins the names of facts about cookies, before what identifies one.
const FactCookie = "cookie "

// sharedCookies tells the other processes of a crawl of the cookies that were set in this one.
type sharedCookies struct {
	always context.Context
	set    *fetch.HTTP
	common frontier.Common
}

// newSharedCookies returns nil if no client keeps cookies.
func newSharedCookies(always context.Context, set *fetch.HTTP, common frontier.Common) *sharedCookies {
	if set == nil {
		return nil
	}
	set.ShareCookies()
	return &sharedCookies{always, set, common}
}

// tell tells of those that were set since it was called last. s may be nil.
func (s *sharedCookies) tell() {
	if s == nil {
		return
	}
	for _, c := range s.set.NewCookies() {
		_ = s.common.Publish(s.always, FactCookie+c.Name, c.Value) // a store that fails reports that to the worker, too
	}
}
