package fetch

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits on the replies of a server.
const (
	maxReplyBytes = 256 << 10 // bytes of all replies together
	maxReplyLine  = 4 << 10   // bytes of one line; standards allow 512
	maxReplyLines = 128       // lines of one reply
)

// lineConn is a connection to a server with a line-based protocol.
type lineConn struct {
	url  urinorm.URL
	says *replies
	conn *boundedConn
	in   *bufio.Reader
}

// replies are what the servers of a protocol answer with.
type replies struct {
	greetings []int          // those that accept a client
	refusal   string         // what other greetings mean
	kinds     map[int]string // the kinds of Fault that negative replies stand for
	classes   [10]string     // those of other replies, by the first digit
}

// kind returns the kind of Fault that a negative reply stands for.
func (r *replies) kind(code int) string {
	if kind, ok := r.kinds[code]; ok {
		return kind
	}
	return cmp.Or(r.classes[code/100], "protocol-error")
}

// converse connects to a server and reads its greeting.
func (s *session) converse(server serverAddr, secure bool, says *replies) (*lineConn, error) {
	conn, err := s.open(server, secure, maxReplyBytes)
	if err != nil {
		return nil, err
	}
	c := &lineConn{s.req.URL, says, conn, bufio.NewReaderSize(conn, maxReplyLine)}
	greeting, err := c.readReply()
	if err == nil && !slices.Contains(says.greetings, greeting.code) {
		err = c.refused(says.refusal, greeting)
	}
	return c, err
}

// refused returns the fault for a negative reply.
func (c *lineConn) refused(what string, answer reply) error {
	return refusal(c.url, c.says.kind(answer.code), what, answer.String())
}

// readLine reads a line and removes its line ending.
func (c *lineConn) readLine() (string, error) {
	line, err := c.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", errLineTooLong
	case err == io.EOF && len(line) > 0:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

// writeLine sends a line. It rejects line endings within the line as a second check;
// text from a URL has passed decodeOnce.
func (c *lineConn) writeLine(line string) error {
	if strings.ContainsAny(line, "\r\n\x00") {
		return invalidURL(c.url, "it "+errControl.Error())
	}
	_, err := io.WriteString(c.conn, line+"\r\n")
	return err
}

// reply is a reply that begins with three digits, as in NNTP, SMTP and DICT.
type reply struct {
	code int
	text string // its lines, joined with blanks
}

func (r reply) String() string { return fmt.Sprintf("%03d %s", r.code, r.text) }

// readReply reads a reply; "250-" means that another line follows (RFC 5321 section
// 4.2.1).
func (c *lineConn) readReply() (reply, error) {
	var r reply
	for range maxReplyLines {
		line, err := c.readLine()
		if err != nil {
			return r, err
		}
		if len(line) < 3 || strings.Trim(line[:3], "0123456789") != "" {
			return r, errNoReplyCode
		}
		code := int(line[0]-'0')*100 + int(line[1]-'0')*10 + int(line[2]-'0')
		if r.code != 0 && code != r.code {
			return r, errNoReplyCode
		}
		r.code = code
		more := len(line) > 3 && line[3] == '-'
		r.text = strings.TrimSpace(r.text + " " + strings.Trim(line[3:], "- "))
		if !more {
			return r, nil
		}
	}
	return r, errTooManyLines
}

// command sends a line and reads the reply.
func (c *lineConn) command(line string) (reply, error) {
	if err := c.writeLine(line); err != nil {
		return reply{}, err
	}
	return c.readReply()
}

// quit sends QUIT and does not wait for the reply.
func (c *lineConn) quit() { c.writeLine("QUIT") }
