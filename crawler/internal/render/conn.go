package render

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// conn is the connection to a browser: commands and their answers, and events. All of it
// goes over a pipe, so that no other program of this machine can connect.
type conn struct {
	pipe *chromedp.PipeConn
	lost chan struct{} // closed when the browser has closed its end

	mu        sync.Mutex
	last      int64 // number of the last command
	waiting   map[int64]chan *cdproto.Message
	listeners map[target.SessionID]listener
}

// errLost is the error of a command to a browser that is gone.
var errLost = errors.New("the browser has ended")

// newConn returns a connection over a pipe. It reads until the pipe is closed.
func newConn(pipe *chromedp.PipeConn) *conn {
	c := &conn{pipe: pipe, lost: make(chan struct{}), waiting: map[int64]chan *cdproto.Message{}, listeners: map[target.SessionID]listener{}}
	go c.read()
	return c
}

// listener takes the events of sessions. It must not wait.
type listener interface {
	onEvent(s session, m *cdproto.Message)
}

// read passes on what the browser sends.
func (c *conn) read() {
	defer close(c.lost)
	for {
		var m cdproto.Message
		if c.pipe.Read(context.Background(), &m) != nil {
			return
		}
		c.mu.Lock()
		answer, listens := c.waiting[m.ID], c.listeners[m.SessionID]
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		switch {
		case m.ID != 0 && answer != nil:
			answer <- &m
		case m.ID == 0 && listens != nil:
			listens.onEvent(session{c, m.SessionID}, &m)
		}
	}
}

// session is one end of the connection in the browser: a tab, a worker, or the browser
// itself, which has no ID.
type session struct {
	conn *conn
	id   target.SessionID
}

// listen passes the events of the session on, until ignore is called.
func (s session) listen(to listener) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.conn.listeners[s.id] = to
}

func (s session) ignore() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	delete(s.conn.listeners, s.id)
}

// callTimeout is how long a command may take that does not wait for the scripts of a page.
// A machine under load may need seconds.
const callTimeout = 30 * time.Second

// call sends a command and waits for its result, at most for callTimeout.
func call[P, R any](ctx context.Context, s session, command cdp.Command[P, R], params P) (R, error) {
	var result R
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	encoded, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
	if err != nil {
		return result, fmt.Errorf("%s: %w", command.Method, err)
	}
	answer, err := s.send(ctx, command.Method, encoded)
	switch {
	case err != nil:
		return result, fmt.Errorf("%s: %w", command.Method, err)
	case answer.Error != nil:
		return result, fmt.Errorf("%s: %w", command.Method, answer.Error)
	}
	if err := jsonv2.Unmarshal(answer.Result, &result, chromedp.DefaultUnmarshalOptions); err != nil {
		return result, fmt.Errorf("%s: %w", command.Method, err)
	}
	return result, nil
}

// send sends a command and waits for its answer.
func (s session) send(ctx context.Context, method string, params []byte) (*cdproto.Message, error) {
	c := s.conn
	answer := make(chan *cdproto.Message, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	if err := c.pipe.Write(ctx, &cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method), Params: params}); err != nil {
		return nil, errLost
	}
	select {
	case m := <-answer:
		return m, nil
	case <-c.lost:
		return nil, errLost
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// event decodes the parameters of an event.
func event[E any](m *cdproto.Message) (*E, bool) {
	var e E
	return &e, jsonv2.Unmarshal(m.Params, &e, chromedp.DefaultUnmarshalOptions) == nil
}
