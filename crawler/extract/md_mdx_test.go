package extract

import (
	"strings"
	"testing"
)

// growingMDX makes documents of MDX of hostile shapes, about n bytes long.
var growingMDX = map[string]func(n int) string{
	"open modules":     func(n int) string { return strings.Repeat("import {\n\n", n/10) },
	"modules":          func(n int) string { return strings.Repeat("import a from './b.png'\n\n", n/25) },
	"open strings":     func(n int) string { return strings.Repeat("export `\n\n", n/10) },
	"open comments":    func(n int) string { return strings.Repeat("{/* ", n/4) },
	"comments":         func(n int) string { return strings.Repeat("{/* a */}", n/9) },
	"open braces":      func(n int) string { return "<A " + strings.Repeat("{", n) },
	"open components":  func(n int) string { return strings.Repeat("<A b={\n", n/7) },
	"components":       func(n int) string { return strings.Repeat("<A\n  href='b'\n>\n", n/16) },
	"backticks":        growingBackticks,
	"open fences":      func(n int) string { return strings.Repeat("    ```\n", n/8) },
	"indented":         func(n int) string { return strings.Repeat("      # a\n", n/10) },
	"comments in tags": func(n int) string { return strings.Repeat("<A {/* ", n/7) },
}

// TestModuleEnds: a module ends at a blank line outside of brackets, strings and comments.
func TestModuleEnds(t *testing.T) {
	for text, want := range map[string]string{
		"import a from 'a'\n\nb":                        "import a from 'a'\n",
		"import a from 'a'\nimport b from 'b'\n\nc":     "import a from 'a'\nimport b from 'b'\n",
		"export const a = {\n\n}\n\nb":                  "export const a = {\n\n}\n",
		"export const a = `\n\n}`\n\nb":                 "export const a = `\n\n}`\n",
		"export const a = '{'\n\nb":                     "export const a = '{'\n",
		"export const a = 1 // {\n\nb":                  "export const a = 1 // {\n",
		"export const a = /* { */ 1\n\nb":               "export const a = /* { */ 1\n",
		"export const a = (\n\nb":                       "export const a = (\n",
		"export const a = 1":                            "export const a = 1",
		"exports are goods\n\nb":                        "",
		"import of goods\n\nb":                          "",
		"a\nimport b from 'b'\n\nb":                     "",
		"```\n\nimport b from 'b'\n```\n\nimport {c}":   "import {c}",
		"- ```js\n\n  import b from 'b'\n  ```\n\nno":   "",
		"\r\nimport a from 'a'\r\n\r\nb":                "import a from 'a'\r\n",
		"import a from 'a'\n\nexport * from 'b'\n\n# b": "import a from 'a'\n|export * from 'b'\n",
	} {
		var got []string
		for _, at := range readMDX([]byte(text), 0).modules {
			got = append(got, text[at.start:at.end])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: modules %q, want %q", text, got, want)
		}
	}
}
