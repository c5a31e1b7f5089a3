package plugin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
)

// child is the test binary as a plugin.
type child struct {
	in *bufio.Reader
}

// connection is a connection of a child to the test, which lives as long as the child.
var connection net.Conn

// runChild runs one of children.
func runChild(name string) {
	if address := os.Getenv("PLUGIN_TEST_ADDRESS"); address != "" {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			panic(err)
		}
		conn.Read(make([]byte, 1)) // the test has noticed it
		connection = conn
	}
	children[name](&child{bufio.NewReader(os.Stdin)})
}

// id returns the id of the next page, 0 at the end.
func (c *child) id() int {
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		return 0
	}
	var id int
	fmt.Sscanf(string(line[:min(len(line), 30)]), `{"id":%d,`, &id)
	return id
}

func (c *child) say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (c *child) hello() {
	c.in.ReadBytes('\n')
	c.say(`{"hello":{"codes":[{"code":"spell-word","title":"unknown word"}]}}`)
}

// answer answers pages until the input ends.
func (c *child) answer() {
	for id := c.id(); id != 0; id = c.id() {
		c.say(`{"id":%d,"findings":[{"code":"spell-word","message":"page %d"}]}`, id, id)
	}
}

// replies answers hello, and each page with a text.
func replies(text string) func(*child) {
	return func(c *child) {
		c.hello()
		for id := c.id(); id != 0; id = c.id() {
			c.say("%s", strings.ReplaceAll(text, "$id", fmt.Sprint(id)))
		}
	}
}

// fork starts the test binary as another child, with our pipes.
func fork(name string, change func(*exec.Cmd)) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PLUGIN_TEST_CHILD="+name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if change != nil {
		change(cmd)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// forever waits until the test has ended, or has closed the connection.
func forever() { io.Copy(io.Discard, connection) }

var children = map[string]func(*child){
	"good":              func(c *child) { c.hello(); c.answer() },
	"never says hello":  func(c *child) { forever() },
	"never answers":     func(c *child) { c.hello(); forever() },
	"ends at the start": func(c *child) { fmt.Fprintln(os.Stderr, "no dictionary"); os.Exit(3) },
	"prints at start":   func(c *child) { c.say("Loading…"); c.hello(); c.answer() },
	"wrong id":          replies(`{"id":1$id}`),
	"answers twice":     replies(`{"id":$id}` + "\n" + `{"id":$id}`),
	"no JSON":           replies(`page $id is fine`),
	"empty line":        replies(``),
	"undeclared code":   replies(`{"id":$id,"findings":[{"code":"spell-word"},{"code":"spell-other"}],"links":[{"url":"a"}]}`),
	"too many findings": replies(`{"id":$id,"findings":[` + strings.Repeat(`{"code":"spell-word"},`, 200) + `{"code":"spell-word"}]}`),
	"deep":              replies(`{"id":$id,"x":` + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) + `}`),
	"invalid UTF-8":     replies("{\"id\":$id,\"findings\":[{\"code\":\"spell-word\",\"message\":\"\xe9\"}]}"),
	"ignores the end":   func(c *child) { c.hello(); c.answer(); forever() },
	"reads nothing":     func(c *child) { c.hello(); forever() },
	"answers at once":   func(c *child) { c.hello(); c.say(`{"id":1}`); c.id(); c.answer() },
	"ends after a page": func(c *child) { c.hello(); c.say(`{"id":%d}`, c.id()) },
	"closes its output": func(c *child) { c.hello(); c.id(); os.Stdout.Close(); forever() },
	"closes its input": func(c *child) {
		c.in.ReadBytes('\n')
		os.Stdin.Close()
		c.say(`{"hello":{"codes":[{"code":"spell-word","title":"unknown word"}]}}`)
		forever()
	},
	"half a line": func(c *child) { c.hello(); fmt.Printf(`{"id":%d}`, c.id()) },
	"tells its surrounding": func(c *child) {
		c.hello()
		links, _ := json.Marshal(append(os.Environ(), os.Args[1:]...))
		c.say(`{"id":%d,"findings":[{"code":"spell-word","message":%q}]}`, c.id(), links)
		c.id()
	},
	"dies at the third page": func(c *child) {
		c.hello()
		for id := c.id(); id != 3; id = c.id() {
			c.say(`{"id":%d}`, id)
		}
		panic("no such word")
	},
	"answers in pieces": func(c *child) {
		c.hello()
		for id := c.id(); id != 0; id = c.id() {
			for _, b := range fmt.Appendf(nil, "{\"id\":%d,\"findings\":[{\"code\":\"spell-word\",\"message\":\"naïve\"}]}\r\n", id) {
				os.Stdout.Write([]byte{b})
			}
		}
	},
	"line of 1 MiB": func(c *child) {
		c.hello()
		for id := c.id(); id != 0; id = c.id() {
			line := fmt.Sprintf(`{"id":%d,"findings":[{"code":"spell-word","message":"long"}],"x":"`, id)
			extra := 0
			if id == 2 {
				extra = 1
			}
			c.say("%s%s", line, strings.Repeat("x", maxLine-len(line)-2+extra)+`"}`)
		}
	},
	"line of 100 MB": func(c *child) {
		c.hello()
		c.id()
		for range 100 {
			fmt.Print(strings.Repeat("x", 1e6))
		}
		c.say("")
		c.answer()
	},
	"floods standard error": func(c *child) {
		c.hello()
		for id := c.id(); id != 0; id = c.id() {
			for range 100_000 {
				fmt.Fprintln(os.Stderr, "unknown word")
			}
			os.Stderr.WriteString(strings.Repeat("x", 10e6))
			c.say(`{"id":%d}`, id)
		}
	},
	"forks": func(c *child) {
		fork("holds", nil)
		c.hello()
		c.answer()
	},
	"forks and ends": func(c *child) {
		fork("holds", nil)
		c.hello()
		c.id()
	},
	"holds": func(c *child) { fmt.Fprintln(os.Stderr, "holding"); forever() },
}
