package extract

import (
	"slices"
	"strings"
)

// imageMaps matches the uses of the image maps of a document with their names. The name of a
// map is not an anchor: usemap="#x" finds <map name=x>, a link to #x does not.
type imageMaps struct {
	names []string
	uses  []int // indexes in the links
}

func (m *imageMaps) reset() { m.names, m.uses = m.names[:0], m.uses[:0] }

// resolve makes each use of a map that exists a reference to the document as a whole.
func (m *imageMaps) resolve(links []Link) {
	slices.Sort(m.names)
	for _, i := range m.uses {
		l := &links[i]
		if name, ok := strings.CutPrefix(l.Ref, "#"); ok && l.SameDocument {
			if _, exists := slices.BinarySearch(m.names, name); exists {
				l.Ref = "#"
			}
		}
	}
	m.reset()
}
