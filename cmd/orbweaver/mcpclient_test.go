//go:build !race

package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestAgentOfficialClient tests that the client of the MCP TypeScript SDK lists, calls and validates
// every tool, and a session in which it checks, reads page after page, makes the fixes, and checks again.
func TestAgentOfficialClient(t *testing.T) {
	node, err := exec.LookPath("node")
	sdk := os.Getenv("MCP_SDK")
	if err != nil || sdk == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("node and MCP_SDK, the directory of the npm package @modelcontextprotocol/sdk, are missing")
		}
		t.Skip("needs node and MCP_SDK, the directory of the npm package @modelcontextprotocol/sdk")
	}
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a.md": "[one](Guide.md) [two](no.md) [three](guide.md#gude) [four](nothing.md)\n", "guide.md": "# Guide\n"})
	out, err := exec.Command(node, "testdata/mcpclient.mjs", sdk, program(t), dir).CombinedOutput()
	if want := `findings of the first run, one a page: file-case file-missing file-missing fragment-missing
fixes: Guide.md -> guide.md, guide.md#gude -> guide.md#guide
applied: 2
findings of the second run, one a page: file-missing file-missing
tools: apply_fixes check explain finding findings fixes verify
`; err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}
