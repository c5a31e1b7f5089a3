package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a conversation.
const (
	maxReplyBytes = 256 << 10 // bytes of replies, all together
	maxReplyLine  = 4 << 10   // bytes of one line; standards allow 512
	maxReplyLines = 128       // lines of one reply
)

// lineConn is a connection to a server that talks in lines.
type lineConn struct {
	*session
	conn *boundedConn
	in   *bufio.Reader
}

func (s *session) dialLines(server serverAddr, secure bool) (*lineConn, error) {
	conn, err := s.open(server, secure, maxReplyBytes)
	if err != nil {
		return nil, err
	}
	return &lineConn{s, conn, bufio.NewReaderSize(conn, maxReplyLine)}, nil
}

// readLine reads a line, its end taken off.
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

// writeLine says a line. That it holds no line end of its own is the last line of
// defence: what comes from a URL went through decodeOnce.
func (c *lineConn) writeLine(line string) error {
	if strings.ContainsAny(line, "\r\n\x00") {
		return invalidURL(c.req.URL, "it "+errControl.Error())
	}
	_, err := io.WriteString(c.conn, line+"\r\n")
	return err
}

// reply is a server's answer that begins with three digits, as those of NNTP, SMTP
// and DICT do.
type reply struct {
	code int
	text string // its lines, blanks between them
}

func (r reply) String() string { return fmt.Sprintf("%03d %s", r.code, r.text) }

// readReply reads an answer; "250-" announces another line (RFC 5321 section 4.2.1).
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

// command says a line and reads the answer.
func (c *lineConn) command(line string) (reply, error) {
	if err := c.writeLine(line); err != nil {
		return reply{}, err
	}
	return c.readReply()
}

// quit takes leave; nobody waits for the answer.
func (c *lineConn) quit() { c.writeLine("QUIT") }
