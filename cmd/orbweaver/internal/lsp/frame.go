package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
)

// maxMessage is the longest body of a message, in bytes.
const maxMessage = 64 << 20

// maxHeader is the longest header of a message, in bytes.
const maxHeader = 8 << 10

// readFrame reads the body of one message. Its error is io.EOF at the end of the input between two
// messages; any other error means that the next message cannot be found.
func readFrame(in *bufio.Reader) ([]byte, error) {
	length, read := -1, 0
	for {
		line, err := readHeaderLine(in, maxHeader-read)
		if err != nil {
			if errors.Is(err, io.EOF) && read == 0 && line == "" {
				return nil, io.EOF
			}
			return nil, fmt.Errorf("read the header of a message: %w", err)
		}
		if read += len(line) + 1; line == "" {
			break
		}
		name, value, found := strings.Cut(line, ":")
		value = textproto.TrimString(value)
		switch {
		case !found:
			return nil, errors.New("read the header of a message: a line has no colon")
		case strings.EqualFold(name, "Content-Length"):
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil || n > maxMessage || length >= 0 && uint64(length) != n {
				return nil, fmt.Errorf("read the header of a message: Content-Length %.40q is not one number of bytes up to %d MiB", value, maxMessage>>20)
			}
			length = int(n)
		case strings.EqualFold(name, "Content-Type") && !isUTF8Type(value):
			return nil, fmt.Errorf("read the header of a message: the encoding of %.80q is not utf-8", value)
		}
	}
	if length < 0 {
		return nil, errors.New("read the header of a message: there is no Content-Length")
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return nil, fmt.Errorf("read a message of %d bytes: %w", length, io.ErrUnexpectedEOF)
	}
	return body, nil
}

func readHeaderLine(in *bufio.Reader, most int) (string, error) {
	var line []byte
	for {
		c, err := in.ReadByte()
		switch {
		case err != nil:
			return string(line), err
		case c == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case len(line) >= most:
			return "", fmt.Errorf("it is longer than %d KiB", maxHeader>>10)
		}
		line = append(line, c)
	}
}

// isUTF8Type reports whether a media type has no charset but UTF-8.
func isUTF8Type(value string) bool {
	_, charset, found := strings.Cut(strings.ToLower(value), "charset=")
	charset, _, _ = strings.Cut(charset, ";")
	charset = strings.Trim(charset, "\" \t")
	return !found || charset == "utf-8" || charset == "utf8"
}

// frameWriter writes messages. It is safe for concurrent use.
type frameWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *frameWriter) write(body []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return err
}
