package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the longest message, in bytes.
const maxLine = 4 << 20

// lines is a connection on which each line is a message. The SDK's own ends with the first line
// that is no message.
type lines struct {
	in  io.Reader
	out io.Writer

	read   chan incoming // from the reader to Read
	closed chan struct{}
	once   sync.Once

	mu sync.Mutex // guards out
}

type incoming struct {
	message jsonrpc.Message
	err     error
}

func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	l.read, l.closed = make(chan incoming), make(chan struct{})
	go l.readAll()
	return l, nil
}

// readAll reads the input until it ends. It outlives the connection if the input does not end:
// a read of a pipe cannot be ended on all systems.
func (l *lines) readAll() {
	in := bufio.NewReaderSize(l.in, 64<<10)
	for {
		line, tooLong, err := readLine(in)
		if len(bytes.TrimSpace(line)) > 0 || tooLong {
			message, code, why := decode(line, tooLong)
			if message == nil {
				l.refuse(code, why)
			} else if !l.hand(incoming{message: message}) {
				return
			}
		}
		if err != nil {
			l.hand(incoming{err: err})
			return
		}
	}
}

// hand hands a message over, and reports whether the connection is open.
func (l *lines) hand(i incoming) bool {
	select {
	case l.read <- i:
		return true
	case <-l.closed:
		return false
	}
}

// readLine reads a line. Of one that is too long, nothing is kept.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine+1 {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// decode returns the message of a line, or why it is none.
func decode(line []byte, tooLong bool) (message jsonrpc.Message, code int, why string) {
	if tooLong {
		return nil, jsonrpc.CodeInvalidRequest, "the message is longer than 4 MiB"
	}
	line = bytes.TrimSpace(line)
	if !json.Valid(line) {
		return nil, jsonrpc.CodeParseError, "the line is not JSON"
	}
	if line[0] != '{' {
		return nil, jsonrpc.CodeInvalidRequest, "a message is an object: the protocol has no batches"
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, jsonrpc.CodeInvalidRequest, "the object is no message of JSON-RPC 2.0"
	}
	return message, 0, ""
}

func (l *lines) refuse(code int, why string) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return // no such value
	}
	_ = l.write(text) // the next message finds out
}

func (l *lines) write(text []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(append(text, '\n'))
	return err
}

func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case i := <-l.read:
		return i.message, i.err
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return l.write(text)
}

func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID implements [sdk.Connection]: there is one session.
func (l *lines) SessionID() string { return "" }
