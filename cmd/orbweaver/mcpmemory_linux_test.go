package main

import (
	"bufio"
	"encoding/json"
	stdflag "flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// To measure as many runs as are kept: go test ./cmd/orbweaver -run AgentMemory -agent-runs 20, or .ci/drills
var agentRuns = stdflag.Int("agent-runs", 2, "runs that TestAgentMemory keeps")

const (
	agentLinks    = 10_000
	agentResident = 300 << 10 // KiB
)

// TestAgentMemory tests the memory of a process that keeps runs of 10,000 links, each of which is a finding.
func TestAgentMemory(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for page := range 100 {
		var links strings.Builder
		for i := range agentLinks / 100 {
			fmt.Fprintf(&links, "[a link](missing-%d-%d.md)\n", page, i)
		}
		files[fmt.Sprintf("p%d.md", page)] = links.String()
	}
	writeFiles(t, dir, files)
	cmd := exec.Command(program(t), "mcp", "--root", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReaderSize(out, 1<<20)
	ask := func(id int, method, params string) (result struct {
		StructuredContent struct {
			Run   string
			Total int
		}
	}) {
		t.Helper()
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		line, err := answers.ReadBytes('\n')
		answer := struct{ Result any }{&result}
		if err == nil {
			err = json.Unmarshal(line, &answer)
		}
		if err != nil {
			t.Fatalf("%s: %v: %s", method, err, line)
		}
		return result
	}
	ask(0, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for n := range *agentRuns {
		checked := ask(2*n+1, "tools/call", `{"name":"check","arguments":{"target":".","options":{"max-pages":1000}}}`).StructuredContent
		if checked.Total != agentLinks {
			t.Fatalf("run %d has %d findings, want %d", n, checked.Total, agentLinks)
		}
		began := time.Now()
		listed := ask(2*n+2, "tools/call", fmt.Sprintf(`{"name":"findings","arguments":{"run":%q,"q":"missing-99","page":"p99.md"}}`, checked.Run)).StructuredContent
		t.Logf("findings of run %d took %v", n, time.Since(began))
		if listed.Total != agentLinks/100 {
			t.Errorf("the filter selects %d findings of run %d, want %d", listed.Total, n, agentLinks/100)
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var resident int
	_, text, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(text, &resident); err != nil || resident > agentResident {
		t.Errorf("with %d runs, %d KiB are resident (%v), more than %d", *agentRuns, resident, err, agentResident)
	}
	t.Logf("%d runs: %d KiB", *agentRuns, resident)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
