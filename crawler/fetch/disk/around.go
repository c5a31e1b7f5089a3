package disk

import (
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Around is a directory that contains the directory of a site, in which links go on that lead above
// that one: sources in a work tree of git are read so.
type Around struct {
	*Site
	// Path is that of the inner directory, with names separated by '/' and without a final one.
	Path string
}

// Within returns the URL that a URL of the inner site has in the directory around it.
func (a *Around) Within(inner *Site, u urinorm.URL) (urinorm.URL, error) {
	address := a.address(a.Path) + "/" + strings.TrimPrefix(u.Path(), inner.path)
	if query, ok := u.Query(); ok {
		address += "?" + query
	}
	if fragment, ok := u.Fragment(); ok {
		address += "#" + fragment
	}
	v, _, err := urinorm.ParseWeb(address)
	return v, err
}
