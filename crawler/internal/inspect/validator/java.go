package validator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/helper"
)

// maxPorts is how many ports a service of ours tries.
const maxPorts = 3

// startLimit is how long a service of ours may take to start. It reads its schemas first.
const startLimit = 3 * time.Minute

// Launch starts a service for this process: java with the vnu.jar that the environment
// variable VNU_JAR names, else with that of the npm package vnu-jar in the working directory.
// It listens on loopback only, takes 10 seconds to start and some 500 MB of memory. It ends
// with Close and, on Linux, when this process ends in any way.
func Launch(ctx context.Context) (*Service, error) {
	jar := os.Getenv("VNU_JAR")
	if jar == "" {
		jar = filepath.Join("node_modules", "vnu-jar", "build", "dist", "vnu.jar")
	}
	if _, err := os.Stat(jar); err != nil {
		return nil, fmt.Errorf("validator auto: no vnu.jar: %w; install the npm package vnu-jar, or set VNU_JAR to the file", err)
	}
	program, err := exec.LookPath("java")
	if err != nil {
		return nil, fmt.Errorf("validator auto: %w; install Java 11 or later", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("it did not start within %s", startLimit))
	defer cancel()
	j, err := startJava(ctx, program, jar)
	if err != nil {
		return nil, fmt.Errorf("validator auto: %w", err)
	}
	s, err := Connect(ctx, j.address)
	if err != nil {
		j.close()
		return nil, err
	}
	s.java = j
	return s, nil
}

// java is a running service of ours.
type java struct {
	address string
	closing chan struct{} // closed to end it
	once    sync.Once     // closes closing
	ended   chan struct{} // closed when nothing of it is left

	failure error // why it did not start or go on; set before ended is closed
}

// errPortTaken says that another program took the port first.
var errPortTaken = errors.New("address already in use")

// startJava starts the service. The port is free when it is chosen, but the service needs
// seconds until it listens there. It says so when it does, and ends if the port was taken
// meanwhile: then another port is tried.
func startJava(ctx context.Context, program, jar string) (*java, error) {
	for try := 1; ; try++ {
		j, err := startJavaOnce(ctx, program, jar)
		if !errors.Is(err, errPortTaken) || try == maxPorts {
			return j, err
		}
	}
}

func startJavaOnce(ctx context.Context, program, jar string) (*java, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()

	output, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// The stack: with the usual one, schemas are too deep. Perf data would be a file in /tmp.
	cmd := exec.Command(program, "-Xss4m", "-Xmx512m", "-XX:-UsePerfData", "-Djava.awt.headless=true",
		"-Dnu.validator.servlet.bind-address=127.0.0.1", "-cp", jar, "nu.validator.servlet.Main", strconv.Itoa(port))
	cmd.Env = ourEnvironment()
	cmd.Stdout, cmd.Stderr = input, input

	j := &java{address: fmt.Sprintf("http://127.0.0.1:%d/", port), closing: make(chan struct{}), ended: make(chan struct{})}
	listening := make(chan struct{})
	go j.run(cmd, input, output, listening)
	select {
	case <-listening:
		return j, nil
	case <-j.ended:
		return nil, j.failure
	case <-ctx.Done():
		j.close()
		return nil, context.Cause(ctx)
	}
}

// close ends the service. When it returns, nothing of it is left.
func (j *java) close() {
	j.once.Do(func() { close(j.closing) })
	<-j.ended
}

// run owns the process from its start to its end.
func (j *java) run(cmd *exec.Cmd, input, output *os.File, listening chan struct{}) {
	defer close(j.ended)
	defer output.Close()
	// Linux ends the process with the thread that started it, see EndWithThread. This goroutine
	// keeps the thread as long as the process is needed.
	runtime.LockOSThread()
	helper.EndWithThread(cmd)
	group, err := helper.StartGroup(cmd)
	input.Close()
	if err != nil {
		j.failure = err
		return
	}
	var said messagesOfJava
	silent := make(chan struct{}) // closed when the process has closed its output, at its end
	go func() {
		defer close(silent)
		said.read(output, listening)
	}()
	select {
	case <-silent:
	case <-j.closing:
	}
	group.Kill()
	group.Wait()
	output.Close() // a process that left the group may hold the other end
	<-silent
	j.failure = said.failure()
}

// messagesOfJava is what is kept of the output of the service.
type messagesOfJava struct {
	portTaken bool
	first     string // the first line that looks like the reason of the end
	last      string
}

// read reads the output to its end, and closes listening when the service listens.
func (m *messagesOfJava) read(output io.Reader, listening chan struct{}) {
	lines := bufio.NewReaderSize(output, 4<<10)
	started := false
	for {
		line, _, err := lines.ReadLine() // of a long line, its parts
		if err != nil {
			return
		}
		text := string(line)
		switch {
		case strings.Contains(text, "ervice started at http://"):
			if !started {
				close(listening)
			}
			started = true
		case strings.Contains(text, "Failed to bind to"), strings.Contains(text, "BindException"):
			m.portTaken = true
		case m.first == "" && (strings.Contains(text, "Exception") || strings.Contains(text, "Error")):
			m.first = sentence(text)
		}
		if text != "" {
			m.last = sentence(text)
		}
	}
}

func (m *messagesOfJava) failure() error {
	switch {
	case m.portTaken:
		return errPortTaken
	case m.first != "":
		return fmt.Errorf("java ended: %s", m.first)
	case m.last != "":
		return fmt.Errorf("java ended: %s", m.last)
	}
	return errors.New("java ended without a message")
}

// ourEnvironment is the environment of a program, without our own variables, which may hold
// secrets.
func ourEnvironment() []string {
	var env []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(strings.ToUpper(variable), "ORBWEAVER_") {
			env = append(env, variable)
		}
	}
	return env
}
