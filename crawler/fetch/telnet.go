package fetch

import (
	"bufio"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

const (
	maxTelnetTalk = 64 << 10 // bytes read while waiting for prompts
	maxPromptLine = 512      // bytes of a line that may be a prompt
)

// Telnet commands (RFC 854).
const (
	telnetSE   = 240
	telnetSB   = 250
	telnetWill = 251
	telnetWont = 252
	telnetDo   = 253
	telnetDont = 254
	telnetIAC  = 255
)

// fetchTelnet answers telnet URLs (RFC 4248). It is enough that the server accepts the
// connection. If the URL names a user, fetchTelnet waits for the login prompt and sends
// the name, and the password likewise; the server's reaction is the result. It never
// sends anything else, and no control characters or Telnet commands from the URL.
func fetchTelnet(s *session) (*Response, error) {
	server, err := s.by.serverOf(s.req.URL)
	if err != nil {
		return nil, err
	}
	var user *account
	if s.req.URL.HasUserinfo() {
		if user, err = s.by.accounts.forSession(s.req.URL); err != nil {
			return nil, err
		}
	}
	conn, err := s.dial(server, maxTelnetTalk)
	if err != nil {
		return nil, err
	}
	if user != nil && user.name != "" {
		t := &terminal{conn: conn, in: bufio.NewReader(conn)}
		if err := t.login(s.req.URL, user); err != nil {
			return nil, err
		}
	}
	return &Response{Size: -1}, nil
}

// terminal is a Telnet connection that neither offers nor accepts options.
type terminal struct {
	conn *boundedConn
	in   *bufio.Reader
	line strings.Builder // server output since this client last sent a line
}

// login answers the prompts for user name and password.
func (t *terminal) login(u urinorm.URL, user *account) error {
	if err := t.wait("login:", "username:", "user:", "name:"); err != nil {
		return err
	}
	if err := t.writeLine(user.name); err != nil || user.password == "" {
		return err
	}
	if err := t.wait("password:", "passcode:"); err != nil {
		return err
	}
	if err := t.writeLine(user.password); err != nil {
		return err
	}
	// The next line that is not blank is a welcome or a refusal.
	if err := t.wait(""); err != nil {
		return err
	}
	text := strings.ToLower(t.line.String())
	for _, no := range []string{"incorrect", "invalid", "fail", "denied", "bad ", "login:", "username:"} {
		if strings.Contains(text, no) {
			return refusal(u, "file-unreadable", "the server rejected the login", t.line.String())
		}
	}
	return nil
}

// writeLine sends a line with the line ending CR LF (RFC 854).
func (t *terminal) writeLine(line string) error {
	t.line.Reset()
	_, err := t.conn.Write([]byte(line + "\r\n"))
	return err
}

// wait reads until the server has written one of the words, in any case. "" stands for
// the end of a line that is not blank, or a pause within it.
func (t *terminal) wait(words ...string) error {
	for {
		c, err := t.readByte()
		if err != nil {
			return err
		}
		if c == '\n' && words[0] != "" {
			t.line.Reset()
			continue
		}
		if t.line.Len() == maxPromptLine {
			return errLineTooLong
		}
		t.line.WriteByte(c)
		text := strings.ToLower(t.line.String())
		for _, word := range words {
			switch {
			case word != "" && strings.HasSuffix(strings.TrimRight(text, " "), word):
				return nil
			case word == "" && strings.TrimSpace(text) != "" && (c == '\n' || t.in.Buffered() == 0):
				return nil
			}
		}
	}
}

// readByte reads a character and refuses the options that the server proposes.
func (t *terminal) readByte() (byte, error) {
	for {
		c, err := t.in.ReadByte()
		if err != nil || c != telnetIAC {
			if c == 0 && err == nil {
				continue // the NUL after a bare carriage return
			}
			return c, err
		}
		command, err := t.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch command {
		case telnetIAC:
			return telnetIAC, nil
		case telnetSB:
			if err := t.skipSubnegotiation(); err != nil {
				return 0, err
			}
		case telnetWill, telnetWont, telnetDo, telnetDont:
			option, err := t.in.ReadByte()
			if err != nil {
				return 0, err
			}
			if err := t.refuse(command, option); err != nil {
				return 0, err
			}
		}
	}
}

// refuse answers a proposed option. The end of an option needs no answer (RFC 854, "to
// prevent option loops").
func (t *terminal) refuse(command, option byte) error {
	answer := map[byte]byte{telnetWill: telnetDont, telnetDo: telnetWont}[command]
	if answer == 0 {
		return nil
	}
	// This does not use Write, which would restart the time limit for each proposal.
	_, err := t.conn.writeInStep([]byte{telnetIAC, answer, option})
	return err
}

func (t *terminal) skipSubnegotiation() error {
	for {
		c, err := t.in.ReadByte()
		if err != nil {
			return err
		}
		if c != telnetIAC {
			continue
		}
		if c, err = t.in.ReadByte(); err != nil || c == telnetSE {
			return err
		}
	}
}
