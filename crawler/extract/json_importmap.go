package extract

import "bytes"

// addImportMap adds the addresses of an import map (HTML 8.1.6.2): those of the modules that
// names refer to, in the whole document ("imports") or in part of it ("scopes").
//
//	{"imports": {"app": "./app.js", "lib/": "/lib/"}, "scopes": {"/old/": {"app": "./app-1.js"}}}
//
// An address that ends in a slash is a prefix of other addresses, not a document. An address
// that is neither absolute nor starts with a slash or a dot is invalid in browsers.
func (s *jsonScanner) addImportMap(h *harvest, v *view) {
	s.reset(v.text)
	for {
		key, at, text, ok := s.next()
		if !ok {
			return
		}
		if !s.inImports() || !isModuleAddress(text) {
			continue
		}
		f := h.add(v, at, text)
		if f == nil {
			return
		}
		f.Kind, f.Expect, f.Element, f.Attribute = Resource, ExpectScript, "script", keyName(key)
	}
}

// inImports reports whether the last string is in "imports" or in one of the "scopes".
func (s *jsonScanner) inImports() bool {
	in := func(depth int, name string) bool {
		return len(s.open) == depth && string(s.src[s.open[1].start:s.open[1].end]) == name
	}
	return in(2, "imports") || in(3, "scopes")
}

// isModuleAddress reports whether a value of an import map is the address of a single module.
func isModuleAddress(ref []byte) bool {
	if len(ref) == 0 || ref[len(ref)-1] == '/' {
		return false
	}
	for _, beginning := range [...]string{"/", "./", "../"} {
		if bytes.HasPrefix(ref, []byte(beginning)) {
			return true
		}
	}
	return isWebURL(ref)
}
