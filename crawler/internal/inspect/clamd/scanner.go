package clamd

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/helper"
)

const (
	// maxConnections is how many exchanges run at once. clamd scans with up to 10 threads
	// unless it is configured otherwise; more connections than cores gain nothing.
	maxConnections = 4
	// chunkLength is the length of the longest chunk of INSTREAM. It is far below the limit
	// of the format, 4 GiB, and large enough that chunks cost nothing.
	chunkLength = 1 << 20
	// maxAnswer is the length of the longest answer in bytes, with its final NUL. clamd's
	// own answers have less than 1 KiB.
	maxAnswer = 4 << 10
	// maxDatabaseAge is how old clamd's database may be without a note.
	maxDatabaseAge = 7 * 24 * time.Hour
)

// divisors give the waits between the tries of a body: the time limit of an exchange divided
// by each, so 1 s and 5 s for the usual 30 s. A clamd that is restarted without a socket of
// systemd refuses connections until it has loaded its database.
var divisors = [...]time.Duration{30, 6}

// Scanner sends bodies to clamd. It is safe for concurrent use; of more than four calls at
// once some wait.
type Scanner struct {
	address Address
	timeout time.Duration
	version string
	service *helper.Service
}

// Open asks clamd for a sign of life (PING) and for its version. Each exchange with clamd,
// here and later, takes at most timeout.
func Open(ctx context.Context, address Address, timeout time.Duration) (*Scanner, error) {
	s := &Scanner{address: address, timeout: timeout, service: helper.NewService(maxConnections)}
	pong, err := s.exchange(ctx, "PING", nil)
	if err != nil {
		return nil, fmt.Errorf("clamd at %s: %w", address, err)
	}
	if pong != "PONG" {
		return nil, fmt.Errorf("clamd at %s: it answered PING with %.100q, expected PONG", address, pong)
	}
	s.version, err = s.exchange(ctx, "VERSION", nil)
	if err != nil {
		return nil, fmt.Errorf("clamd at %s: %w", address, err)
	}
	if s.version == "" || !isPrintable(s.version) {
		return nil, fmt.Errorf("clamd at %s: it answered VERSION with %.100q", address, s.version)
	}
	return s, nil
}

// Version returns what clamd says about itself: its version, and the number and the date of
// its database if that is an official one, separated by slashes.
func (s *Scanner) Version() string { return s.version }

// Note returns a remark on clamd's database if it was more than 7 days old at the given
// time, and an empty string otherwise.
func (s *Scanner) Note(now time.Time) string {
	date, ok := databaseDate(s.version)
	if !ok || now.Sub(date) <= maxDatabaseAge {
		return ""
	}
	return fmt.Sprintf("clamd's virus database is %d days old (%s); update it with freshclam",
		int(now.Sub(date)/(24*time.Hour)), date.Format(time.DateOnly))
}

// Lost returns why clamd does not scan any more, or nil as long as it does.
func (s *Scanner) Lost() error { return s.service.Lost() }

// Scan asks clamd about a body, and tries three times if clamd does not answer. Canceling
// ctx ends it early; the body is then unscanned.
func (s *Scanner) Scan(ctx context.Context, body []byte) Result {
	defer s.service.Enter(ctx)()
	var result Result
	err := s.service.Try(ctx, []time.Duration{s.timeout / divisors[0], s.timeout / divisors[1]}, func() error {
		answer, err := s.exchange(ctx, "INSTREAM", stream(body))
		result = parseAnswer(answer)
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.service.Lose(fmt.Errorf("clamd at %s was lost: %w", s.address, err))
	}
	switch {
	case err == nil:
		return result
	case s.Lost() != nil:
		return unscanned(s.Lost().Error())
	}
	return unscanned("the run was stopped")
}

// stream returns what follows the command INSTREAM: chunks, each after its length in 4
// bytes, and an empty chunk.
func stream(body []byte) net.Buffers {
	var buffers net.Buffers
	for chunk := range slices.Chunk(body, chunkLength) {
		buffers = append(buffers, binary.BigEndian.AppendUint32(nil, uint32(len(chunk))), chunk)
	}
	return append(buffers, make([]byte, 4))
}

// exchange sends one command with its data over a connection of its own and returns the
// answer without the final NUL. An error means that there is no answer, or that clamd cannot
// have received the data it answers to.
func (s *Scanner) exchange(ctx context.Context, command string, data net.Buffers) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("no answer within %s", s.timeout))
	defer cancel()
	answer, err := s.converse(ctx, command, data)
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
	}
	return answer, err
}

// converse is exchange without the time limit.
func (s *Scanner) converse(ctx context.Context, command string, data net.Buffers) (string, error) {
	conn, err := new(net.Dialer).DialContext(ctx, s.address.network, s.address.address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()

	request := slices.Insert(data, 0, []byte("z"+command+"\x00"))
	_, writeErr := request.WriteTo(conn)
	// clamd may have answered and closed the connection before it read everything.
	answer, err := readAnswer(conn)
	switch {
	case err != nil && writeErr != nil:
		return "", writeErr
	case err != nil:
		return "", err
	case writeErr != nil && parseAnswer(answer).Outcome != Unscanned:
		return "", writeErr // not an answer to all of the data
	}
	return answer, nil
}

// readAnswer returns an answer without its final NUL.
func readAnswer(r io.Reader) (string, error) {
	answer, err := bufio.NewReaderSize(r, maxAnswer).ReadSlice(0)
	switch {
	case err == nil:
		return strings.TrimSuffix(string(answer), "\x00"), nil
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	case err == io.EOF && len(answer) == 0:
		return "", errors.New("the connection was closed without an answer")
	case err == io.EOF:
		return "", fmt.Errorf("the answer ended early: %.100q", answer)
	}
	return "", err
}
