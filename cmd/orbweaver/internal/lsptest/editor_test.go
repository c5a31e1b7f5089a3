package lsptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/programtest"
)

var program string

func TestMain(m *testing.M) { os.Exit(programtest.Run(m, &program)) }

// patience is how long a test waits for what must come.
const patience = 5 * time.Minute

// editor is a client of the program, over pipes.
type editor struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	errs bytes.Buffer
	done chan error // the end of the process

	mu       sync.Mutex
	id       int
	waiting  map[string]chan answer
	nobody   chan answer            // responses with the id null
	findings map[string][]found     // pushed, by URI
	versions map[string]json.Number // of the pushed findings
	sent     []string               // methods of what the server sent
	messages []string               // for people
	streamed []json.RawMessage      // parts of answers
	changed  chan struct{}          // closed when findings or sent change
}

// answer is a response.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// code returns the code of the error, 0 if there is none.
func (a answer) code() int {
	if a.Error == nil {
		return 0
	}
	return a.Error.Code
}

// found is a diagnostic.
type found struct {
	Range struct {
		Start, End struct{ Line, Character int }
	}
	Severity              int
	Code, Source, Message string
}

// launch starts the program, which greets nobody.
func launch(t *testing.T, args ...string) *editor {
	t.Helper()
	e := &editor{t: t, waiting: map[string]chan answer{}, nobody: make(chan answer, 100), findings: map[string][]found{}, versions: map[string]json.Number{}, changed: make(chan struct{}), done: make(chan error, 1)}
	e.cmd = exec.Command(program, append([]string{"lsp"}, args...)...)
	e.cmd.Stderr = &e.errs
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		e.read(bufio.NewReader(out))
		e.done <- e.cmd.Wait()
	}()
	t.Cleanup(func() {
		e.in.Close()
		_ = e.cmd.Process.Kill() // it fails for a process that has ended
	})
	return e
}

// start starts the program with a folder.
func start(t *testing.T, dir string, capabilities map[string]any, args ...string) *editor {
	t.Helper()
	e := launch(t, args...)
	folders := []map[string]any{{"uri": uri(dir, ""), "name": "folder"}}
	if a := e.request("initialize", map[string]any{"processId": os.Getpid(), "capabilities": capabilities, "workspaceFolders": folders}); a.code() != 0 {
		t.Fatalf("initialize: %v", a.Error)
	}
	e.notify("initialized", map[string]any{})
	return e
}

// pulling are the capabilities of an editor that asks for diagnostics.
func pulling() map[string]any {
	return map[string]any{"textDocument": map[string]any{"diagnostic": map[string]any{}}}
}

func uri(dir, name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name)))}).String()
}

func (e *editor) read(out *bufio.Reader) {
	for {
		header, err := textproto.NewReader(out).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			e.t.Errorf("the header %v has no length", header)
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(out, body); err != nil {
			return
		}
		var a answer
		if err := json.Unmarshal(body, &a); err != nil {
			e.t.Errorf("the message %s: %v", body, err)
			return
		}
		e.receive(a)
	}
}

func (e *editor) receive(a answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case a.Method == "" && string(a.ID) == "null":
		e.nobody <- a
	case a.Method == "":
		if waits := e.waiting[string(a.ID)]; waits != nil {
			waits <- a
		} else {
			e.t.Errorf("a response to nothing: %s", a.ID)
		}
		delete(e.waiting, string(a.ID))
	default:
		var p struct {
			URI         string
			Version     json.Number
			Diagnostics []found
			Value       struct{ Kind string }
			Message     string
		}
		if a.Method == "textDocument/publishDiagnostics" && json.Unmarshal(a.Params, &p) == nil {
			e.findings[p.URI], e.versions[p.URI] = p.Diagnostics, p.Version
		}
		if a.Method == "$/progress" && json.Unmarshal(a.Params, &p) == nil {
			if a.Method += " " + p.Value.Kind; p.Value.Kind == "" {
				e.streamed = append(e.streamed, a.Params)
			}
		}
		if a.Method == "window/showMessage" && json.Unmarshal(a.Params, &p) == nil {
			e.messages = append(e.messages, p.Message)
		}
		e.sent = append(e.sent, a.Method)
		if a.ID != nil {
			go e.send(map[string]any{"jsonrpc": "2.0", "id": a.ID, "result": nil})
		}
		close(e.changed)
		e.changed = make(chan struct{})
	}
}

// body sends the body of a message.
func (e *editor) body(body []byte) {
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (e *editor) raw(text string) {
	if _, err := io.WriteString(e.in, text); err != nil && !errors.Is(err, os.ErrClosed) {
		e.t.Log(err)
	}
}

func (e *editor) send(m map[string]any) {
	body, err := json.Marshal(m)
	if err != nil {
		e.t.Error(err)
	}
	e.body(body)
}

func (e *editor) notify(method string, params any) {
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

func (e *editor) begin(method string, params any) (id int, answers chan answer) {
	e.mu.Lock()
	e.id++
	id, answers = e.id, make(chan answer, 1)
	e.waiting[strconv.Itoa(id)] = answers
	e.mu.Unlock()
	e.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, answers
}

func (e *editor) request(method string, params any) answer {
	e.t.Helper()
	_, answers := e.begin(method, params)
	return e.await(answers)
}

func (e *editor) await(answers chan answer) answer {
	e.t.Helper()
	select {
	case a := <-answers:
		return a
	case <-time.After(patience):
		e.t.Fatalf("no answer; standard error: %s", e.errs.String())
		return answer{}
	}
}

// until waits until a condition on what the server sent holds.
func (e *editor) until(what string, holds func() bool) {
	e.t.Helper()
	deadline := time.After(patience)
	for {
		e.mu.Lock()
		ok, changed := holds(), e.changed
		e.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			e.t.Fatalf("%s: it did not happen", what)
		}
	}
}

// ended waits for the end of the process and returns its exit status.
func (e *editor) ended() int {
	e.t.Helper()
	select {
	case <-e.done:
		return e.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		e.t.Fatal("the process does not end")
		return -1
	}
}

func (e *editor) open(dir, name, text string) { e.openAs(uri(dir, name), "x", text) }

func (e *editor) openAs(uri, language, text string) {
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": language, "version": 1, "text": text}})
}

// pulled returns the findings of the workspace, by URI.
func (e *editor) pulled() map[string][]found {
	e.t.Helper()
	a := e.request("workspace/diagnostic", map[string]any{"previousResultIds": []any{}})
	var all struct {
		Items []struct {
			URI   string
			Items []found
		}
	}
	if a.Error != nil || json.Unmarshal(a.Result, &all) != nil {
		e.t.Fatalf("workspace/diagnostic: %v %s", a.Error, a.Result)
	}
	byURI := map[string][]found{}
	for _, r := range all.Items {
		if len(r.Items) > 0 {
			byURI[r.URI] = r.Items
		}
	}
	return byURI
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
