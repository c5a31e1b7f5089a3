package htmlsyntax

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAgainstNu checks that a document has findings if and only if the Nu HTML Checker
// (vnu.jar) reports errors of its tokenizer or its tree builder. It needs java and the jar that
// the environment variable VNU_JAR names, or that of the npm package vnu-jar.
func TestAgainstNu(t *testing.T) {
	jar := os.Getenv("VNU_JAR")
	for _, dir := range []string{".", "../../../.."} {
		if jar == "" {
			if file := filepath.Join(dir, "node_modules", "vnu-jar", "build", "dist", "vnu.jar"); exists(file) {
				jar = file
			}
		}
	}
	_, err := exec.LookPath("java")
	if jar == "" || err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("this test needs java and vnu.jar")
		}
		t.Skip("this test needs java and vnu.jar")
	}

	dir := t.TempDir()
	args := []string{"-Xss4m", "-jar", jar, "--format", "json", "--errors-only", "--exit-zero-always"}
	for i, d := range documents {
		file := filepath.Join(dir, fmt.Sprintf("%d.html", i))
		if err := os.WriteFile(file, []byte(doctype+d.content), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	command := exec.Command("java", args...)
	var output strings.Builder
	command.Stderr = &output // where it reports
	if err := command.Run(); err != nil {
		t.Fatal(err, output.String())
	}
	var report struct {
		Messages []struct{ Type, URL, Message string }
	}
	if err := json.Unmarshal([]byte(output.String()), &report); err != nil {
		t.Fatal(err, output.String())
	}
	messages := make(map[string][]string)
	for _, m := range report.Messages {
		if syntaxMessage.MatchString(m.Message) && m.Type == "error" {
			name := m.URL[strings.LastIndex(m.URL, "/")+1:]
			messages[name] = append(messages[name], m.Message)
		}
	}
	for i, d := range documents {
		if said := messages[fmt.Sprintf("%d.html", i)]; (len(said) > 0) != (d.want != "") {
			t.Errorf("%s\n%s\nNu: %s", d.content, d.want, said)
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// syntaxMessage matches the messages of Nu's tokenizer, and of its tree builder as far as they
// are about elements that are not closed or not nested.
var syntaxMessage = regexp.MustCompile(`(?i)stray (end|start) tag|stray end|unclosed element|open elements|unclosed elements|but a .* end tag seen|violates nesting|` +
	`end tag .* did not match|already open|duplicate attribute|saw (<|“|u\+0000)|probable cause|named character reference|not terminated by a semicolon|no space between|end of file|` +
	`forbidden code point|control character|self-closing syntax|cdata|end tag “br”|had been closed|foreign namespace|heading cannot be a child|bad character|bogus comment|active form`)
