package urinorm

import "strings"

// ExplainWeb returns the steps from an absolute reference to the URL that
// [ParseWeb] returns, in the order in which the URL Standard parses the parts.
// Remarks follow, whose Result is the URL itself, about faults that are tolerated
// and the dangers of RFC 3986 section 7. A URL in its serialized form has no step.
func ExplainWeb(s string) ([]Step, error) {
	u, repairs, err := ParseWeb(s)
	if err != nil {
		return nil, err
	}
	x := webSteps{text: s, url: u}
	x.whole()
	x.scheme()
	x.authority()
	x.path()
	x.tail()
	x.step("URL Standard 4.5", "URL reassembled", u.String())
	for _, r := range webRemarks {
		if repairs.Has(r.repair) {
			x.steps = append(x.steps, Step{Section: r.section, What: r.what, Result: u.String()})
		}
	}
	return x.steps, nil
}

// webRemarks are about repairs that do not change the URL.
var webRemarks = []struct {
	repair        Repairs
	section, what string
}{
	{repairPercent, "URL Standard 4.4", "remark: a % without two hexadecimal digits after it is kept"},
	{RepairAboveRoot, "RFC 3986 5.4.2", "remark: \"..\" at the root is ignored"},
	{repairHostLength, "RFC 3986 3.2.2", "remark: the host is longer than the DNS allows"},
	{repairALabel, "URL Standard 3.3", "remark: a label begins with xn-- but is not valid"},
	{repairObfuscatedIP, "RFC 3986 7.4", "remark: the host is an IPv4 address in an unusual form"},
	{repairCredentials, "RFC 3986 7.5", "remark: the URL contains a password"},
	{repairMisleadingUserinfo, "RFC 3986 7.6", "remark: the user name looks like a host"},
}

// webSteps collects the steps from a reference to its URL.
type webSteps struct {
	url   URL
	steps []Step
	text  string // the reference after the last step
	done  string // its first parts, as they are in the URL
	rest  string // its other parts, as written
}

// step adds a step if it changes the text.
func (x *webSteps) step(section, what, now string) {
	if now != x.text {
		x.text = now
		x.steps = append(x.steps, Step{Section: section, What: what, Result: now})
	}
}

// replace replaces the next part, as written, by its form in the URL.
func (x *webSteps) replace(section, what, written, serialized string) {
	x.done, x.rest = x.done+serialized, x.rest[len(written):]
	x.step(section, what, x.done+x.rest)
}

func (x *webSteps) whole() {
	x.step("URL Standard 4.4", "leading and trailing spaces and control characters removed", strings.TrimFunc(x.text, func(r rune) bool { return r <= ' ' }))
	x.step("URL Standard 4.4", "tabs and line breaks removed", tabsAndNewlines.Replace(x.text))
	x.step("URL Standard 4.4", "bytes that are not UTF-8 replaced by U+FFFD", string([]rune(x.text)))
	if x.url.isSpecial() {
		end := len(x.text)
		if i := strings.IndexAny(x.text, "?#"); i >= 0 {
			end = i
		}
		x.step("URL Standard 4.4", "backslashes replaced by slashes", strings.ReplaceAll(x.text[:end], `\`, "/")+x.text[end:])
	}
	x.rest = x.text
}

func (x *webSteps) scheme() {
	scheme, _, _ := cutScheme(x.rest)
	x.replace("URL Standard 4.4", "scheme in lower case", scheme+":", x.url.Scheme()+":")
}

// authority replaces the slashes, the userinfo, the host and the port.
func (x *webSteps) authority() {
	u := x.url
	if !u.at.HasAuthority {
		return
	}
	slashes := x.rest[:len(x.rest)-len(strings.TrimLeft(x.rest, "/"))]
	switch {
	case u.Scheme() != "file" && u.isSpecial():
	case strings.HasPrefix(slashes, "//"):
		slashes = "//"
	default: // file:/dir, file:dir
		slashes = ""
	}
	x.replace("URL Standard 4.4", "two slashes before the authority", slashes, "//")
	if slashes == "" && u.Scheme() == "file" {
		return // the authority is empty
	}
	end := strings.IndexAny(x.rest, "/?#")
	if end < 0 {
		end = len(x.rest)
	}
	written := x.rest[:end]
	if at := strings.LastIndexByte(written, '@'); at >= 0 {
		x.replace("URL Standard 4.4", "user name and password percent-encoded, or removed if empty", written[:at+1], u.href[u.at.UserStart:u.at.HostStart])
		written = written[at+1:]
	}
	host, port := written, ""
	if colon := strings.LastIndexByte(written, ':'); colon > strings.LastIndexByte(written, ']') && u.Scheme() != "file" {
		host, port = written[:colon], written[colon:]
	}
	x.replace("URL Standard 3.5", hostStep(host), host, u.Host())
	serialized := u.href[u.at.HostEnd:u.at.PathStart]
	if !strings.HasPrefix(serialized, ":") {
		serialized = ""
	}
	x.replace("URL Standard 4.4", "empty port, default port or leading zeros of the port removed", port, serialized)
}

// hostStep describes the step that changes a host.
func hostStep(host string) string {
	switch {
	case strings.HasPrefix(host, "["):
		return "IPv6 address in canonical form"
	case !isASCII(host):
		return "host converted to ASCII (UTS 46)"
	case strings.IndexByte(host, '%') >= 0:
		return "host percent-decoded and in lower case"
	}
	return "host in lower case, IPv4 address in canonical form"
}

func (x *webSteps) path() {
	u := x.url
	end := strings.IndexAny(x.rest, "?#")
	if end < 0 {
		end = len(x.rest)
	}
	written := x.rest[:end]
	if u.at.opaque {
		x.replace("URL Standard 1.3", "path percent-encoded", written, u.Path())
		return
	}
	if written == "" && u.Path() == "/" {
		x.replace("URL Standard 4.4", "empty path replaced by \"/\"", "", "/")
		return
	}
	if plain := withoutDots(written); plain != written {
		x.rest = plain + x.rest[end:]
		x.step("URL Standard 4.4", "dot segments removed", x.done+x.rest)
		written = plain
	}
	guard := ""
	if !u.at.HasAuthority && strings.HasPrefix(u.Path(), "//") {
		guard = "/."
	}
	x.replace("URL Standard 1.3", "path percent-encoded", written, guard+u.Path())
}

// withoutDots removes the dot segments of a path that begins with '/' (URL Standard
// 4.4, path state).
func withoutDots(path string) string {
	if path == "" || path[0] != '/' {
		return path
	}
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch dotSegment(segment) {
		case 2:
			if n := len(kept); n > 0 {
				kept = kept[:n-1]
			}
		case 1:
		default:
			kept = append(kept, segment)
			continue
		}
		if last {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

func (x *webSteps) tail() {
	u := x.url
	query, fragment := x.rest, ""
	if i := strings.IndexByte(x.rest, '#'); i >= 0 {
		query, fragment = x.rest[:i], x.rest[i:]
	}
	x.replace("URL Standard 1.3", "query percent-encoded", query, u.href[u.at.QueryStart:u.at.FragmentStart])
	x.replace("URL Standard 1.3", "fragment percent-encoded", fragment, u.href[u.at.FragmentStart:])
}
