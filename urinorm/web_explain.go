package urinorm

import "strings"

// ExplainWeb returns the steps that lead from an absolute reference to what
// [ParseWeb] makes of it, in the order in which the URL Standard reads the parts. Then
// follow remarks, whose Result is the URL itself: what it tolerates, and what RFC 3986
// section 7 warns of. A URL that is written as a browser would has no step.
func ExplainWeb(s string) ([]Step, error) {
	u, repairs, err := ParseWeb(s)
	if err != nil {
		return nil, err
	}
	x := webSteps{at: s, url: u}
	x.whole()
	x.scheme()
	x.authority()
	x.path()
	x.tail()
	x.step("URL Standard 4.5", "put together again", u.String())
	for _, r := range webRemarks {
		if repairs.Has(r.repair) {
			x.steps = append(x.steps, Step{Section: r.section, What: r.what, Result: u.String()})
		}
	}
	return x.steps, nil
}

// webRemarks are notes that change nothing of the URL.
var webRemarks = []struct {
	repair        Repairs
	section, what string
}{
	{RepairPercent, "URL Standard 4.4", "remark: a % that no two hexadecimal digits follow stays as it is"},
	{RepairAboveRoot, "RFC 3986 5.4.2", "remark: \"..\" above the root stays at the root"},
	{RepairHostLength, "RFC 3986 3.2.2", "remark: the host is longer than DNS allows"},
	{RepairALabel, "URL Standard 3.3", "remark: a label begins with xn-- and is no valid one"},
	{RepairObfuscatedIP, "RFC 3986 7.4", "remark: the host is an IPv4 address in a rare form"},
	{RepairCredentials, "RFC 3986 7.5", "remark: it holds a password"},
	{RepairMisleadingUserinfo, "RFC 3986 7.6", "remark: its user name looks like a host"},
}

// webSteps is a reference on its way to the URL. Front is what is settled, rest what
// is still as it was written.
type webSteps struct {
	url         URL
	steps       []Step
	at          string
	front, rest string
}

// step notes what the text is now, if that is something else than before.
func (x *webSteps) step(section, what, now string) {
	if now != x.at {
		x.at = now
		x.steps = append(x.steps, Step{Section: section, What: what, Result: now})
	}
}

// settle takes a part over: written becomes what it is in the URL.
func (x *webSteps) settle(section, what, written, settled string) {
	x.front, x.rest = x.front+settled, x.rest[len(written):]
	x.step(section, what, x.front+x.rest)
}

func (x *webSteps) whole() {
	x.step("URL Standard 4.4", "blanks and control characters around it cut off", strings.TrimFunc(x.at, func(r rune) bool { return r <= ' ' }))
	x.step("URL Standard 4.4", "tabs and line ends taken out", tabsAndNewlines.Replace(x.at))
	x.step("URL Standard 4.4", "bytes that are no UTF-8 made U+FFFD", string([]rune(x.at)))
	if x.url.IsSpecial() {
		end := len(x.at)
		if i := strings.IndexAny(x.at, "?#"); i >= 0 {
			end = i
		}
		x.step("URL Standard 4.4", "backslashes read as slashes", strings.ReplaceAll(x.at[:end], `\`, "/")+x.at[end:])
	}
	x.rest = x.at
}

func (x *webSteps) scheme() {
	scheme, _, _ := cutScheme(x.rest)
	x.settle("URL Standard 4.4", "scheme in lower case", scheme+":", x.url.Scheme()+":")
}

// authority settles what stands before the path.
func (x *webSteps) authority() {
	u := x.url
	if !u.at.HasAuthority {
		return
	}
	slashes := x.rest[:len(x.rest)-len(strings.TrimLeft(x.rest, "/"))]
	switch {
	case u.Scheme() != "file" && u.IsSpecial():
	case strings.HasPrefix(slashes, "//"):
		slashes = "//"
	default: // file:/dir, file:dir
		slashes = ""
	}
	x.settle("URL Standard 4.4", "two slashes before the authority", slashes, "//")
	if slashes == "" && u.Scheme() == "file" {
		return // the authority is empty
	}
	end := strings.IndexAny(x.rest, "/?#")
	if end < 0 {
		end = len(x.rest)
	}
	written := x.rest[:end]
	if at := strings.LastIndexByte(written, '@'); at >= 0 {
		x.settle("URL Standard 4.4", "user name and password percent-encoded, or dropped where empty", written[:at+1], u.href[u.at.UserStart:u.at.HostStart])
		written = written[at+1:]
	}
	host, port := written, ""
	if colon := strings.LastIndexByte(written, ':'); colon > strings.LastIndexByte(written, ']') && u.Scheme() != "file" {
		host, port = written[:colon], written[colon:]
	}
	x.settle("URL Standard 3.5", hostStep(host), host, u.Host())
	settled := u.href[u.at.HostEnd:u.at.PathStart]
	if !strings.HasPrefix(settled, ":") {
		settled = ""
	}
	x.settle("URL Standard 4.4", "empty, default or zero-padded port shortened", port, settled)
}

// hostStep says what happens to a host.
func hostStep(host string) string {
	switch {
	case strings.HasPrefix(host, "["):
		return "IPv6 address in its usual form"
	case !isASCII(host):
		return "host in the letters of DNS (UTS 46)"
	case strings.IndexByte(host, '%') >= 0:
		return "host percent-decoded, and in lower case"
	}
	return "host in lower case, an IPv4 address in its usual form"
}

func (x *webSteps) path() {
	u := x.url
	end := strings.IndexAny(x.rest, "?#")
	if end < 0 {
		end = len(x.rest)
	}
	written := x.rest[:end]
	if u.at.Opaque {
		x.settle("URL Standard 1.3", "path percent-encoded", written, u.Path())
		return
	}
	if written == "" && u.Path() == "/" {
		x.settle("URL Standard 4.4", "empty path made \"/\"", "", "/")
		return
	}
	if plain := withoutDots(written); plain != written {
		x.rest = plain + x.rest[end:]
		x.step("URL Standard 4.4", "dot segments removed", x.front+x.rest)
		written = plain
	}
	guard := ""
	if !u.at.HasAuthority && strings.HasPrefix(u.Path(), "//") {
		guard = "/."
	}
	x.settle("URL Standard 1.3", "path percent-encoded", written, guard+u.Path())
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
	x.settle("URL Standard 1.3", "query percent-encoded", query, u.href[u.at.QueryStart:u.at.FragmentStart])
	x.settle("URL Standard 1.3", "fragment percent-encoded", fragment, u.href[u.at.FragmentStart:])
}
