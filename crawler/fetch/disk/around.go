package disk

import (
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// around is a directory that contains the directory of a site.
type around struct {
	site *Site
	rel  string // the path of the inner directory, with a final '/'
}

// GoOnIn lets links that lead above the site's directory go on in the directory of another
// site, which contains it: sources in a work tree of git are read so. rel is the path from
// there to the site's directory, with names separated by '/'. GoOnIn must not be called
// while requests are answered.
func (s *Site) GoOnIn(outer *Site, rel string) { s.around = around{outer, rel + "/"} }

// Around returns the site in which links go on that lead above the directory, or nil if they
// end at the directory.
func (s *Site) Around() *Site { return s.around.site }

// URLAround returns the URL that Around has for a URL of the site.
func (s *Site) URLAround(u urinorm.URL) (urinorm.URL, error) {
	address := s.around.site.prefix + escapePath(s.around.rel) + strings.TrimPrefix(u.Path(), s.path)
	if query, ok := u.Query(); ok {
		address += "?" + query
	}
	if fragment, ok := u.Fragment(); ok {
		address += "#" + fragment
	}
	v, _, err := urinorm.ParseWeb(address)
	return v, err
}
