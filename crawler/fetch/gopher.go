package fetch

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

const (
	maxGopherLine = 4 << 10 // bytes of a menu line
	maxGopherMenu = 2 << 20 // bytes of a menu
)

// fetchGopher answers gopher URLs (RFC 1436, RFC 4266). It sends the selector; the item
// type in the URL determines what the answer is. Menus become HTML documents with the
// same links. An item of type 3 instead of the requested content means that the item
// does not exist.
//
//	gopher://host/1/docs         the menu /docs
//	gopher://host/0/docs/a.txt   the text /docs/a.txt
//	gopher://host/7/find%09word  a search for "word"
func fetchGopher(s *session) (*Response, error) {
	server, err := s.by.serverOf(s.req.URL)
	if err != nil {
		return nil, err
	}
	itemType, selector, err := gopherSelector(s.req.URL)
	if err != nil {
		return nil, err
	}
	if strings.IndexByte("8T2", itemType) >= 0 {
		// The item stands for a service with another protocol on this host.
		_, err := s.dial(server, 0)
		return &Response{Size: -1}, err
	}
	conn, err := s.dial(server, s.by.maxBody+maxGopherMenu)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(conn, selector+"\r\n"); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(conn, maxGopherLine)
	conn.streaming = true
	isMenu := itemType == '1' || itemType == '7'
	first, err := firstGopherLine(in, isMenu)
	if err != nil {
		return nil, err
	}
	if kind, text := gopherErrorIn(first); kind != "" {
		return nil, refusal(s.req.URL, kind, "the server answered", text)
	}
	resp := &Response{ContentType: gopherType(itemType, selector), Size: -1}
	switch {
	case isMenu && len(first) == 0:
		return nil, io.EOF // even an empty menu has a final "."
	case isMenu && !isMenuLine(string(first)):
		return nil, refusal(s.req.URL, "protocol-error", "the answer is not a Gopher menu", "")
	case s.req.Need == Existence:
		return resp, nil
	case !isMenu:
		resp.Body = &sessionBody{in, s} // to the end of the connection, which is the only sign of its end
		return resp, nil
	}
	page := newLinkPage(s.req.URL.WithoutFragment().Printed())
	whole, err := readGopherMenu(in, page)
	if err != nil {
		return nil, err
	}
	if !whole {
		resp.Notes = append(resp.Notes, Note{"body-truncated", "the menu is longer than 2 MiB; the rest was not read"})
	}
	resp.Body = &sessionBody{page.body(), s}
	return resp, nil
}

// gopherSelector splits the path into type and selector. A tab separates the selector
// from the words of a search.
func gopherSelector(u urinorm.URL) (itemType byte, selector string, err error) {
	path := strings.TrimPrefix(u.Path(), "/")
	if path == "" {
		return '1', "", nil
	}
	if query, ok := u.Query(); ok {
		path += "?" + query // gopher has no queries: the query belongs to the selector
	}
	decoded, err := decodeOnce(path, "\t")
	if err != nil {
		return 0, "", invalidURL(u, "the selector "+err.Error())
	}
	return decoded[0], decoded[1:], nil
}

// firstGopherLine returns the first line, or as much of it as fits, without consuming
// it. If the content is not a menu and does not look like an error, it may return only
// the first byte.
func firstGopherLine(in *bufio.Reader, isMenu bool) ([]byte, error) {
	for n := 1; ; n++ {
		head, err := in.Peek(n)
		if err == io.EOF || err == bufio.ErrBufferFull {
			return head, nil
		}
		if err != nil {
			return nil, err
		}
		if !isMenu && head[0] != '3' && head[0] != 'E' {
			return head, nil
		}
		n = max(n, in.Buffered())
		head, _ = in.Peek(n)
		if i := strings.IndexByte(string(head), '\n'); i >= 0 {
			return head[:i+1], nil
		}
	}
}

// gopherErrorIn reports whether the first line of an answer means that the item is
// missing or forbidden: an item of type 3, or the error texts of Gophernicus, the most
// widely used server. kind is "" if it does not.
func gopherErrorIn(line []byte) (kind, text string) {
	first := strings.TrimRight(string(line), "\r\n")
	switch {
	case strings.HasPrefix(first, "3") && strings.Count(first, "\t") >= 3:
		text, _, _ = strings.Cut(first[1:], "\t")
		return "file-missing", text
	case strings.HasPrefix(first, "Error: File or directory not found!"):
		return "file-missing", first
	case strings.HasPrefix(first, "Error: Access denied!"):
		return "file-unreadable", first
	}
	return "", ""
}

func isMenuLine(line string) bool {
	line = strings.TrimRight(line, "\r\n")
	// Informational lines often lack the other fields.
	return line == "." || strings.HasPrefix(line, "i") || strings.Count(line, "\t") >= 2
}

// readGopherMenu adds the items of a menu to a page and reports whether it was read to its end.
func readGopherMenu(in *bufio.Reader, page *linkPage) (whole bool, err error) {
	for left := int64(maxGopherMenu); left > 0; {
		line, err := in.ReadSlice('\n')
		left -= int64(len(line))
		item := strings.TrimRight(string(line), "\r\n")
		if item == "." {
			return true, nil
		}
		if item != "" && !errors.Is(err, bufio.ErrBufferFull) {
			addGopherItem(page, item)
		}
		switch {
		case err == io.EOF:
			return true, nil // many servers do not send the final "."
		case errors.Is(err, bufio.ErrBufferFull):
			return false, errLineTooLong
		case err != nil:
			return false, err
		}
	}
	return false, nil
}

// addGopherItem adds a menu line: a type and a text, then selector, host and port,
// separated by tabs.
func addGopherItem(page *linkPage, item string) {
	fields := strings.Split(item[1:], "\t")
	text := fields[0]
	if len(fields) < 4 || strings.IndexByte("i3+", item[0]) >= 0 {
		page.line(text)
		return
	}
	selector, host, port := fields[1], strings.TrimSpace(fields[2]), strings.TrimSpace(fields[3])
	if _, ok := parsePort(port); !ok || host == "" {
		page.line(text)
		return
	}
	if strings.IndexByte(host, ':') >= 0 && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]"
	}
	authority := escapeBut(host, "[]:") + ":" + port
	switch item[0] {
	case 'h':
		if address, ok := cutURLSelector(selector); ok {
			page.link(address, text)
			return
		}
	case '8', 'T':
		user := ""
		if selector != "" {
			user = escapeSegment(selector) + "@"
		}
		scheme := map[byte]string{'8': "telnet", 'T': "tn3270"}[item[0]]
		page.link(scheme+"://"+user+authority+"/", text)
		return
	}
	page.link("gopher://"+strings.TrimSuffix(authority, ":70")+"/"+escapeSegment(item[:1])+escapeBut(selector, "/!$&'()*+,;=:@"), text)
}

// cutURLSelector returns the URL in a selector "URL:…" (or "/URL:…"), with which menus
// link to other schemes.
func cutURLSelector(selector string) (string, bool) {
	address := strings.TrimPrefix(selector, "/")
	if len(address) < 4 || !strings.EqualFold(address[:4], "URL:") {
		return "", false
	}
	return address[4:], true
}

// gopherType returns the media type that an item's type implies.
func gopherType(itemType byte, selector string) string {
	switch itemType {
	case '0':
		if byName := TypeByName(selector); strings.HasPrefix(byName, "text/") {
			return byName
		}
		return "text/plain"
	case '1', '7':
		return linkPageType
	case 'h':
		return "text/html"
	case 'g':
		return "image/gif"
	}
	if byName := TypeByName(selector); byName != "" {
		return byName
	}
	return "application/octet-stream"
}
