package lsp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"sync"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
)

// Engine judges documents.
type Engine interface {
	// Open returns the judge of a directory, or if file is not "", of one document in it. A relative dir has
	// the document [workspace.Unlocated], which is in no directory. The error
	// is that of a configuration which check would refuse. client has the settings of the editor.
	Open(dir, file string, client map[string]any) (workspace.Judge, error)
	// Watch calls begun, and then changed with the files below a directory that changed since, until ctx ends.
	// Its error is why it cannot watch it.
	Watch(ctx context.Context, dir string, begun func(), changed func(files []string)) error
	// CheckSettings returns what is wrong with the settings of the editor.
	CheckSettings(client map[string]any) error
}

// Config says what a server is.
type Config struct {
	Version string
	Note    func(format string, args ...any) // for the user, not the editor
}

// Server answers one editor.
type Server struct {
	config    Config
	engine    Engine
	client    *client
	calls     calls
	life      life
	texts     openTexts
	folders   *folders
	judging   *judging
	observing *observing
	running   sync.WaitGroup // requests and background work
}

// New returns a server.
func New(engine Engine, config Config) *Server {
	s := &Server{config: config, engine: engine, client: newClient(), calls: calls{running: map[string]*running{}}}
	s.texts.byURI = map[string]*openText{}
	s.folders = &folders{engine: engine, texts: &s.texts, moved: make(chan struct{})}
	s.judging = &judging{server: s, wake: make(chan struct{}, 1), published: map[string]published{}}
	s.observing = &observing{server: s, wake: make(chan struct{}, 1)}
	return s
}

// errBroken is the end of a conversation that did not shut down: exit status 1.
var errBroken = errors.New("the conversation ended without shutdown and exit")

// Serve answers messages until the input or ctx ends, or the editor says exit. It returns nil if the
// editor shut the server down before. When it returns, nothing of the server is running, except a read of in.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	s.client.out = &frameWriter{out: out}
	defer func() {
		stop()
		s.running.Wait()
		s.folders.close()
	}()
	s.life.end = stop
	s.background(func() { s.judging.run(ctx) })
	s.background(func() { s.observing.run(ctx) })
	bodies := make(chan []byte)
	ended := make(chan error, 1)
	go func() { // a read of a pipe cannot be ended on all systems
		ended <- readAll(ctx, bufio.NewReaderSize(in, 64<<10), bodies)
	}()
	for {
		select {
		case body := <-bodies:
			if s.receive(ctx, body) {
				return s.life.status()
			}
		case err := <-ended:
			return cmp.Or(err, errBroken)
		case <-ctx.Done():
			return s.life.status()
		}
	}
}

// readAll passes on bodies until the input ends, which is no error.
func readAll(ctx context.Context, in *bufio.Reader, bodies chan<- []byte) error {
	for {
		body, err := readFrame(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case bodies <- body:
		case <-ctx.Done():
			return nil
		}
	}
}

// background runs a function that Serve waits for.
func (s *Server) background(f func()) {
	s.running.Go(f)
}

// receive handles one message, and reports whether it was the last one.
func (s *Server) receive(ctx context.Context, body []byte) (last bool) {
	m, wrong := parse(body)
	switch {
	case wrong != nil:
		s.client.fail(m.id, wrong)
	case m.method == "":
		s.client.answered(m)
	case m.id == nil:
		return s.notified(ctx, m)
	default:
		s.requested(ctx, m)
	}
	return false
}

// notified handles a notification, and reports whether it was exit.
func (s *Server) notified(ctx context.Context, m message) (last bool) {
	if m.method == "exit" {
		return true
	}
	handle := notifications[m.method]
	if handle == nil || !s.life.accepts() {
		return false
	}
	if err := handle(ctx, s, m.params); err != nil {
		s.client.log(m.method + ": " + err.Error())
	}
	return false
}

// requested answers a request, in the background unless that changes the state of the server.
func (s *Server) requested(ctx context.Context, m message) {
	handle := requests[m.method]
	if wrong := s.life.refuses(m.method); wrong != nil {
		s.client.fail(m.id, wrong)
		return
	}
	switch {
	case handle == nil:
		s.client.fail(m.id, errorf(codeUnknownMethod, "there is no method %.100q", m.method))
	case m.method == "initialize" || m.method == "shutdown":
		result, err := handle(ctx, s, m.params)
		s.client.respond(m.id, result, err)
	default:
		s.calls.start(ctx, s, m, handle)
	}
}

type handler func(ctx context.Context, s *Server, params json.RawMessage) (any, error)

// answers returns the handler of requests with parameters of a type.
func answers[P any](f func(context.Context, *Server, *P) (any, error)) handler {
	return func(ctx context.Context, s *Server, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decodeParams(params, p); err != nil {
			return nil, err
		}
		if name := missing(reflect.TypeFor[P](), params); name != "" {
			return nil, errorf(codeInvalidParams, "%s is missing", name)
		}
		return f(ctx, s, p)
	}
}

// takes returns the handler of notifications with parameters of a type.
func takes[P any](f func(context.Context, *Server, *P) error) func(context.Context, *Server, json.RawMessage) error {
	return func(ctx context.Context, s *Server, params json.RawMessage) error {
		p := new(P)
		if err := decodeParams(params, p); err != nil {
			return err
		}
		return f(ctx, s, p)
	}
}

type calls struct {
	mu      sync.Mutex
	running map[string]*running // by id
}

type running struct {
	cancel context.CancelFunc
	once   sync.Once
}

// start answers a request in the background: with the result, or when it is cancelled.
func (c *calls) start(ctx context.Context, s *Server, m message, handle handler) {
	ctx, cancel := context.WithCancel(ctx)
	r := &running{cancel: cancel}
	id := string(m.id)
	c.mu.Lock()
	_, busy := c.running[id]
	if !busy {
		c.running[id] = r
	}
	c.mu.Unlock()
	ctx = s.folders.withSeen(ctx)
	stopped := context.AfterFunc(ctx, func() {
		r.once.Do(func() { s.client.fail(m.id, errorf(codeCancelled, "cancelled")) })
	})
	s.background(func() {
		result, err := handle(ctx, s, m.params)
		stopped()
		r.once.Do(func() { s.client.respond(m.id, result, err) })
		c.mu.Lock()
		if c.running[id] == r {
			delete(c.running, id)
		}
		c.mu.Unlock()
		cancel()
	})
}

func (c *calls) cancel(id string) {
	c.mu.Lock()
	r := c.running[id]
	c.mu.Unlock()
	if r != nil {
		r.cancel()
	}
}
