package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/charset"
)

// operaFormat is the hotlist of Opera up to version 12: bookmarks.adr, opera6.adr.
var operaFormat = format{
	name:       "opera-bookmarks",
	extensions: []string{"adr"},
	sniff:      sniffHotlist,
	charset:    hotlistCharset,
	read:       readHotlist,
}

func sniffHotlist(head []byte) bool {
	return bytes.HasPrefix(trimByteOrderMark(head), []byte("Opera Hotlist version"))
}

// hotlistCharset reads the second line: "Options: encoding = utf8, version=3".
func hotlistCharset(body []byte) string {
	head := bytes.ToLower(body[:min(len(body), prescanLength)])
	if _, rest, ok := bytes.Cut(head, []byte("encoding")); ok {
		rest = bytes.TrimLeft(rest, " \t=")
		if end := bytes.IndexAny(rest, ", \t\r\n"); end >= 0 {
			rest = rest[:end]
		}
		if _, name := charset.Lookup(string(rest)); name != "" {
			return correctDocumentCharset(name)
		}
	}
	if isASCII(body) {
		return "utf-8"
	}
	return htmlCharset(body)
}

// hotlistRecord is a bookmark ("#URL") or a folder ("#FOLDER") and its fields.
type hotlistRecord struct {
	kind  string
	name  []byte
	s     foundBookmark
	trash bool
}

// readHotlist reads the records. "-" on a line of its own closes a folder.
func readHotlist(h *harvest, in *Input) {
	text := h.src.text
	list := newBookmarkList(h, in, "bookmark", bytes.Count(text, []byte("#URL")))
	defer list.finish()
	if !sniffHotlist(text) {
		h.fault("read bookmarks: not an Opera hotlist")
	}
	var open []int32
	inside := func() int32 {
		if n := len(open); n > 0 {
			return open[n-1]
		}
		return -1
	}
	var record hotlistRecord
	end := func() {
		switch record.kind {
		case "#URL":
			record.s.title, record.s.folder, record.s.attribute = record.name, inside(), "URL"
			if len(record.s.raw) > 0 {
				list.add(&record.s)
			}
		case "#FOLDER":
			if len(open) == maxFolderNesting {
				h.fault("read bookmarks: folders are nested deeper than %d", maxFolderNesting)
				break
			}
			folder := list.folder(inside(), string(trimFolded(foldSpace(nil, record.name))))
			if record.trash {
				list.folders[folder].trash = true
			}
			open = append(open, folder)
		}
		record = hotlistRecord{}
	}
	for at := 0; at < len(text); {
		stop := at + bytes.IndexByte(text[at:], '\n')
		if stop < at {
			stop = len(text)
		}
		line := trimSpan(text, span{at, stop})
		at = stop + 1
		content := text[line.start:line.end]
		switch {
		case len(content) == 0:
			// Fields may continue after a blank line; only the next record ends this one.
		case content[0] == '#':
			end()
			record.kind = strings.ToUpper(string(content[:min(len(content), longestKnown)]))
		case len(content) == 1 && content[0] == '-':
			end()
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		default:
			record.field(text, line)
		}
	}
	end()
}

// field reads KEY=VALUE.
func (r *hotlistRecord) field(text []byte, line span) {
	equals := bytes.IndexByte(text[line.start:line.end], '=')
	if equals < 0 {
		return
	}
	key := strings.ToUpper(string(trimSpace(text[line.start : line.start+equals])))
	at := trimSpan(text, span{line.start + equals + 1, line.end})
	value := text[at.start:at.end]
	switch key {
	case "NAME":
		r.name = value
	case "URL":
		r.s.raw, r.s.at = value, at.start
	case "CREATED":
		r.s.added = unixTime(value)
	case "TRASH FOLDER":
		r.trash = strings.EqualFold(string(value), "YES")
	}
}
