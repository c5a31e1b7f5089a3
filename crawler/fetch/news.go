package fetch

import (
	"errors"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// fetchNews answers news, nntp and snews URLs (RFC 5538) over NNTP (RFC 3977):
//
//	news:comp.lang.go              GROUP, on the configured server
//	news:id@example.com            STAT <id@example.com>
//	news://host/comp.*             LIST ACTIVE
//	nntp://host/comp.lang.go/4711  GROUP, then STAT 4711
//
// It reads no articles. A URL without a server is skipped if no server is configured.
func fetchNews(s *session) (*Response, error) {
	asked, err := parseNewsURL(s.req.URL)
	if err != nil {
		return nil, err
	}
	named := s.req.URL
	if named.Host() == "" {
		if named = s.by.newsServer; named.IsZero() {
			return nil, &Fault{Kind: "scheme-unchecked", Op: "fetch", Err: errNoNewsServer}
		}
	}
	server, err := s.by.serverOf(named)
	if err != nil {
		return nil, err
	}
	c, err := s.converse(server, s.by.secure || server.port == 563, &newsReplies)
	if err != nil {
		return nil, err
	}
	defer c.quit()
	for _, command := range asked.commands() {
		answer, err := c.newsCommand(command, s.by.accounts)
		if err != nil {
			return nil, err
		}
		switch {
		case answer.code == 211 || answer.code == 223:
		case answer.code == 215:
			first, err := c.readLine()
			if err != nil {
				return nil, err
			}
			if first == "." {
				return nil, refusal(s.req.URL, "file-missing", "the server has no such group", "")
			}
		default:
			what := asked.missing
			if answer.code == 480 || answer.code == 483 {
				what = "the server requires an account"
			}
			return nil, c.refused(what, answer)
		}
	}
	return &Response{Size: -1}, nil
}

var errNoNewsServer = errors.New("no news server is configured: set one with --nntp-server or NNTP_SERVER")

// newsTarget is what a news URL names.
type newsTarget struct {
	group, number, id string
	missing           string // the message if it does not exist
}

func (q newsTarget) commands() []string {
	switch {
	case q.id != "":
		return []string{"STAT <" + q.id + ">"}
	case q.group == "" || q.group == "*":
		return nil // the server itself
	case strings.ContainsAny(q.group, "*?"):
		return []string{"LIST ACTIVE " + q.group}
	case q.number != "":
		return []string{"GROUP " + q.group, "STAT " + q.number}
	}
	return []string{"GROUP " + q.group}
}

// parseNewsURL parses a URL: a message-ID contains '@', a group name does not.
func parseNewsURL(u urinorm.URL) (newsTarget, error) {
	path := strings.TrimPrefix(u.Path(), "/")
	if query, ok := u.Query(); ok {
		path += "?" + query // wildmats and some message-IDs contain '?'
	}
	group, number, numbered := strings.Cut(path, "/")
	decoded, err := decodeOnce(path, "")
	if err == nil && u.Scheme() == "nntp" && !strings.Contains(decoded, "@") {
		decoded, err = decodeOnce(group, "")
	} else {
		number, numbered = "", false
	}
	switch {
	case err != nil:
		return newsTarget{}, invalidURL(u, "the path "+err.Error())
	case strings.Contains(decoded, "@"):
		id := strings.TrimSuffix(strings.TrimPrefix(decoded, "<"), ">")
		if strings.ContainsAny(id, " <>") || len(id) > maxMessageID {
			return newsTarget{}, invalidURL(u, "the message-id is malformed")
		}
		return newsTarget{id: id, missing: "the server has no such article"}, nil
	case strings.ContainsAny(decoded, " /") || len(decoded) > maxMessageID:
		return newsTarget{}, invalidURL(u, "the name of the group is malformed")
	case numbered && number != "" && (len(number) > 16 || strings.Trim(number, "0123456789") != ""):
		return newsTarget{}, invalidURL(u, "the number of the article is malformed")
	case numbered && number != "":
		return newsTarget{group: decoded, number: number, missing: "the server has no such article"}, nil
	}
	return newsTarget{group: decoded, missing: "the server has no such group"}, nil
}

// maxMessageID is the length limit of a message-ID or group name, in bytes (RFC 3977
// section 3.6).
const maxMessageID = 248

// newsCommand sends a command. If the server asks for authentication and there is an
// account, it logs in and repeats the command (RFC 4643).
func (c *lineConn) newsCommand(command string, accounts *accounts) (reply, error) {
	answer, err := c.command(command)
	if err != nil || answer.code != 480 {
		return answer, err
	}
	user, err := accounts.forSession(c.url)
	if err != nil || user == nil {
		return answer, err
	}
	login, err := c.command("AUTHINFO USER " + user.name)
	if err == nil && login.code == 381 {
		login, err = c.command("AUTHINFO PASS " + user.password)
	}
	if err != nil || login.code != 281 {
		return login, err
	}
	return c.command(command)
}

// newsReplies are those of RFC 3977 section 3.2.
var newsReplies = replies{
	greetings: []int{200, 201},
	refusal:   "the server refused access",
	kinds: map[int]string{
		411: "file-missing", 423: "file-missing", 430: "file-missing",
		400: "rate-limited", 403: "rate-limited",
		480: "file-unreadable", 481: "file-unreadable", 482: "file-unreadable", 483: "file-unreadable", 502: "file-unreadable",
	},
}
