package extract

import (
	"bytes"

	"github.com/yuin/goldmark/text"
)

// MyST writes the roles of Sphinx as {doc}`name`, and the tree of documents as a fenced block whose info
// is {toctree}.

// mystRoles are the roles that are read here.
var mystRoles = []struct {
	name string
	role Role
}{{"{doc}", RoleDocument}, {"{std:doc}", RoleDocument}, {"{ref}", RoleLabel}, {"{std:ref}", RoleLabel}, {"{download}", roleFile}}

// mystRole reads a code span that may be the content of a role.
func mystRole(h *harvest, v *view, it *inline) {
	for _, known := range mystRoles {
		if bytes.HasSuffix(v.text[:it.at.start], []byte(known.name)) {
			crossReference(h, v, it.text, known.role)
		}
	}
}

// mystToctree reads the lines of a tree of documents.
func mystToctree(h *harvest, lines *text.Segments) {
	options := false // in a block of YAML
	for i := range lines.Len() {
		at := trimSpan(h.src.text, span{lines.At(i).Start, lines.At(i).Stop})
		switch line := string(h.src.text[at.start:at.end]); {
		case line == "---":
			options = !options
		case line != "" && !options:
			toctreeEntry(h, &h.src, at)
		}
	}
}
