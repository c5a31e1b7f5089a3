package extract

import "bytes"

// manifestFormat is the manifest of a web application (Web Application Manifest). Its
// references are relative to the manifest.
var manifestFormat = format{
	name:       "manifest",
	media:      []string{"application/manifest+json"},
	extensions: []string{"webmanifest"},
	charset:    alwaysUTF8,
	read:       readManifest,
}

// manifestNamedFormat is a manifest that is recognized by its name and content.
var manifestNamedFormat = format{
	name:      "manifest",
	media:     []string{"application/json", "text/json"},
	names:     []string{"manifest.json", "site.webmanifest"},
	sniff:     sniffManifest,
	mustSniff: true, charset: alwaysUTF8, read: readManifest,
}

// sniffManifest reports whether JSON has a member that is rare except in manifests of web
// applications. Manifests of browser extensions have one that distinguishes them.
func sniffManifest(head []byte) bool {
	return sniffJSON(head, `"start_url"`, `"short_name"`, `"theme_color"`) && !bytes.Contains(head, []byte(`"manifest_version"`))
}

// A jsonRule says that the string at a path is a link.
type jsonRule struct {
	path   string // keys separated by dots; arrays add nothing
	kind   Kind
	expect Expect
}

// manifestRules are the members that are URLs of documents. The scope is a prefix of other URLs, and no
// link.
var manifestRules = []jsonRule{
	{"start_url", Navigation, ExpectAny},
	{"icons.src", Resource, ExpectImage},
	{"screenshots.src", Resource, ExpectImage},
	{"shortcuts.url", Navigation, ExpectAny},
	{"shortcuts.icons.src", Resource, ExpectImage},
	{"related_applications.url", Navigation, ExpectAny},
	{"serviceworker.src", Resource, ExpectScript},
	{"share_target.action", Submission, ExpectAny},
	{"file_handlers.action", Navigation, ExpectAny},
	{"file_handlers.icons.src", Resource, ExpectImage},
	{"note_taking.new_note_url", Navigation, ExpectAny},
}

func readManifest(h *harvest, in *Input) {
	r := jsonRules{harvest: h, rules: manifestRules, title: "name"}
	r.read(in)
}

// jsonRules reads a JSON document with a list of rules.
type jsonRules struct {
	*harvest
	rules []jsonRule
	title string // path of the document's title
	html  string // last key of strings that contain HTML
	// label is the key of the string that becomes the text of links in the same object.
	label  string
	tokens jsonTokens
	path   []byte // keys from the top, separated by dots
	ends   []int  // for each open bracket, the length of path outside it
	labels []jsonLabel
}

// jsonLabel is the text for the links of an open object.
type jsonLabel struct {
	first int
	text  string
}

func (r *jsonRules) read(in *Input) {
	r.doc.Static = true
	r.tokens.reset(r.src.text)
	if !r.tokens.isObject() {
		r.fault("read JSON: not a JSON object")
		return
	}
	for {
		e, at := r.tokens.next()
		switch e {
		case jsonEnd:
			if r.tokens.fault != "" {
				r.fault("read JSON: %s", r.tokens.fault)
			}
			return
		case jsonOpen:
			r.ends = append(r.ends, len(r.path))
			r.enter()
			r.labels = append(r.labels, jsonLabel{first: len(r.links)})
		case jsonClose:
			r.leave()
		case jsonString:
			before := len(r.path)
			r.enter()
			r.string(at, in)
			r.path = r.path[:before]
		case jsonLiteral:
			r.tokens.member = span{}
		}
	}
}

// enter appends the key of the current value to the path. Elements of arrays have no key.
func (r *jsonRules) enter() {
	key := r.tokens.src[r.tokens.member.start:r.tokens.member.end]
	r.tokens.member = span{}
	if len(key) == 0 || len(r.path) > 8*longestKnown {
		return
	}
	if len(r.path) > 0 {
		r.path = append(r.path, '.')
	}
	r.path = append(r.path, key[:min(len(key), longestKnown)]...)
}

func (r *jsonRules) leave() {
	n := len(r.ends) - 1
	r.path = r.path[:r.ends[n]]
	r.ends = r.ends[:n]
	label := r.labels[n]
	r.labels = r.labels[:n]
	if label.text == "" {
		return
	}
	for i := label.first; i < len(r.links); i++ {
		if f := &r.links[i]; f.Text == "" {
			f.Text = label.text
		}
	}
}

func (r *jsonRules) string(at span, in *Input) {
	path := string(r.path)
	key := path[bytes.LastIndexByte(r.path, '.')+1:]
	if path == r.title {
		r.doc.Title = string(trimFolded(foldSpace(nil, r.tokens.text(at))))
		return
	}
	if in.AnchorsOnly {
		return
	}
	switch key {
	case "":
		return
	case r.label:
		if text := trimFolded(foldSpace(nil, r.tokens.text(at))); len(text) > 0 && len(r.labels) > 0 {
			r.labels[len(r.labels)-1].text = r.keep(text)
		}
		return
	case r.html:
		v := r.view(at)
		inner := newNestedReader(true, 1)
		inner.begin(r.harvest, v)
		inner.read()
		return
	}
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.path != path {
			continue
		}
		text := r.tokens.text(at)
		if len(trimSpace(text)) == 0 {
			return
		}
		if f := r.add(&r.src, at, text); f != nil {
			f.Kind, f.Expect, f.Element, f.Attribute = rule.kind, rule.expect, r.doc.Format, key
		}
		return
	}
}

// view returns a string with the mapping from its bytes back to the source.
func (r *jsonRules) view(at span) *view {
	v := &view{parent: &r.src, base: at.start}
	raw := r.tokens.src[at.start:at.end]
	if bytes.IndexByte(raw, '\\') < 0 {
		v.text = raw
		return v
	}
	for i := 0; i < len(raw); {
		n := bytes.IndexByte(raw[i:], '\\')
		if n < 0 {
			n = len(raw) - i
		}
		v.text = append(v.text, raw[i:i+n]...)
		if i += n; i == len(raw) {
			break
		}
		size := 2
		if i+1 < len(raw) && raw[i+1] == 'u' {
			if _, n := unicodeEscape(raw[i:]); n > 0 {
				size = n
			}
		}
		size = min(size, len(raw)-i)
		v.text = append(v.text, r.tokens.text(span{at.start + i, at.start + i + size})...)
		i += size
		v.marks = append(v.marks, mark{len(v.text), i})
	}
	return v
}
