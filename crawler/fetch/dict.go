package fetch

import (
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// fetchDict answers dict URLs (RFC 2229):
//
//	dict://host/d:word:database:n            DEFINE database "word"
//	dict://host/m:word:database:strategy:n   MATCH database strategy "word"
//	dict://host/                             the server itself
//
// A word that is in no dictionary is missing. User names and passwords in the URL are
// ignored.
func fetchDict(s *session) (*Response, error) {
	command, err := dictCommand(s.req.URL)
	if err != nil {
		return nil, err
	}
	server, err := s.by.serverOf(s.req.URL)
	if err != nil {
		return nil, err
	}
	c, err := s.converse(server, false, &dictReplies)
	if err != nil {
		return nil, err
	}
	defer c.quit()
	if command != "" {
		answer, err := c.command(command)
		if err != nil {
			return nil, err
		}
		if answer.code < 150 || answer.code > 152 {
			return nil, c.refused("the server answered", answer)
		}
	}
	return &Response{Size: -1}, nil
}

// dictCommand returns the command for a URL (RFC 2229 section 5). Missing parts have
// defaults.
func dictCommand(u urinorm.URL) (string, error) {
	path := strings.TrimPrefix(u.Path(), "/")
	if path == "" {
		return "", nil
	}
	fields := strings.Split(path, ":")
	for i, field := range fields {
		decoded, err := decodeOnce(field, "")
		if err != nil {
			return "", invalidURL(u, "the path "+err.Error())
		}
		fields[i] = decoded
	}
	field := func(i int, initial string) string {
		if i < len(fields) && fields[i] != "" {
			return fields[i]
		}
		return initial
	}
	word := field(1, "")
	if word == "" || len(word) > maxDictWord {
		return "", invalidURL(u, "the path contains no word")
	}
	word = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
	database := field(2, "!")
	switch {
	case !isAtom(database) || !isAtom(field(3, ".")):
		return "", invalidURL(u, "the name of the database or strategy is malformed")
	case fields[0] == "d":
		return "DEFINE " + database + " " + word, nil
	case fields[0] == "m":
		return "MATCH " + database + " " + field(3, ".") + " " + word, nil
	}
	return "", invalidURL(u, "the path must begin with d: or m:, not with "+strconv.Quote(oneLine(fields[0])))
}

// maxDictWord is the length limit of a word in bytes. It keeps the command within the
// 1,024 bytes of RFC 2229 section 2.3.
const maxDictWord = 400

// isAtom reports whether an argument needs no quotes (RFC 2229 section 2.2).
func isAtom(s string) bool {
	return s != "" && len(s) <= maxDictWord && !strings.ContainsAny(s, " '\"\\")
}

var dictReplies = replies{
	greetings: []int{220},
	refusal:   "the server refused access",
	kinds: map[int]string{
		550: "file-missing", 551: "file-missing", 552: "file-missing",
		420: "rate-limited", 421: "rate-limited",
		530: "file-unreadable", 531: "file-unreadable", 532: "file-unreadable",
	},
}
