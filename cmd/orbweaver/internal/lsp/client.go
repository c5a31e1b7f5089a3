package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
)

// client is the editor: what it can do, and what is sent to it.
type client struct {
	out *frameWriter

	mu    sync.Mutex
	can   clientCapabilities
	next  int                       // number of the next request
	asked map[string]func(*message) // by id: what is done with the answer
}

func newClient() *client { return &client{asked: map[string]func(*message){}} }

// capabilities returns what the editor declared.
func (c *client) capabilities() clientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.can
}

func (c *client) declare(can clientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.can = can
}

// send writes a message. An editor that no longer reads ends the input as well.
func (c *client) send(v any) { _ = c.out.write(marshal(v)) }

func (c *client) fail(id json.RawMessage, err *rpcError) {
	c.send(failedResponse{"2.0", id, err})
}

func (c *client) respond(id json.RawMessage, result any, err error) {
	var wrong *rpcError
	switch {
	case err == nil:
		c.send(response{"2.0", id, result})
	case errors.As(err, &wrong):
		c.fail(id, wrong)
	case errors.Is(err, context.Canceled):
		c.fail(id, errorf(codeCancelled, "cancelled"))
	default:
		c.fail(id, errorf(codeInternal, "%v", err))
	}
}

func (c *client) notify(method string, params any) { c.send(call{"2.0", nil, method, params}) }

// ask sends a request. then, which may be nil, is called with the response.
func (c *client) ask(method string, params any, then func(*message)) {
	c.mu.Lock()
	c.next++
	id := c.next
	c.asked[strconv.Itoa(id)] = then
	c.mu.Unlock()
	c.send(call{"2.0", id, method, params})
}

// answered handles a response. Those to nothing are dropped.
func (c *client) answered(m message) {
	c.mu.Lock()
	then := c.asked[string(m.id)]
	delete(c.asked, string(m.id))
	c.mu.Unlock()
	if then != nil {
		then(&m)
	}
}

// Types of messages for people.
const (
	typeError   = 1
	typeWarning = 2
	typeInfo    = 3
)

type shownMessage struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

func (c *client) log(text string) {
	c.notify("window/logMessage", shownMessage{typeInfo, printable(text)})
}

func (c *client) show(kind int, text string) {
	c.notify("window/showMessage", shownMessage{kind, printable(text)})
}
