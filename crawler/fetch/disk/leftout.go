package disk

import (
	"bytes"
	"path"
	"strings"
)

// leftOut is what a walk left out, by the paths of URLs.
type leftOut struct {
	directories map[string]bool // without the final "/"
	files       map[string]bool
}

func (l *leftOut) addDirectory(at string) {
	if l.directories == nil {
		l.directories = make(map[string]bool)
	}
	l.directories[at] = true
}

// addFile adds a file under all paths that a host may answer with it.
func (l *leftOut) addFile(at string) {
	if l.files == nil {
		l.files = make(map[string]bool)
	}
	l.files[at] = true
	stem := strings.TrimSuffix(at, path.Ext(at))
	l.files[stem] = true
	if dir, name := path.Split(stem); name == "index" {
		l.files[dir] = true
	}
}

// LeftOut reports whether the path of a URL on the site leads to a file that Walk left
// out. Such a file exists, but is not to be read for links.
func (s *Site) LeftOut(path []byte) bool {
	if len(s.leftOut.files) > 0 && s.leftOut.files[string(path)] {
		return true
	}
	if len(s.leftOut.directories) == 0 {
		return false
	}
	for end := len(s.path); end <= len(path); end++ {
		slash := bytes.IndexByte(path[end:], '/')
		if slash < 0 {
			return s.leftOut.directories[string(path)]
		}
		if end += slash; s.leftOut.directories[string(path[:end])] {
			return true
		}
	}
	return false
}
