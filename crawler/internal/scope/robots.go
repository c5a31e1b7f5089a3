package scope

import "github.com/orbweaver/orbweaver/urinorm"

// RobotsApply reports whether the robots.txt of a URL's origin may have a say at all:
// never for directories, and for loopback hosts only when that was asked for.
func (s *Settings) RobotsApply(u urinorm.URL) bool {
	if scheme := u.Scheme(); scheme != "http" && scheme != "https" {
		return false
	}
	return s.Sites.Of(u) == nil && (s.Rules.RobotsGiven || !urinorm.IsLoopback(u.Host()))
}

// ObeysNoFollow reports whether a page's nofollow marks count: where its host's
// robots.txt would.
func (s *Settings) ObeysNoFollow(page Href) bool {
	return s.Rules.Robots != RobotsIgnore && page.IsHTTP() && s.RobotsApply(URLOf(page))
}
