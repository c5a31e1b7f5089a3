package htmltoken

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// standardCase is a case of html5lib-tests.
type standardCase struct {
	File, Description, Input string
	DoubleEscaped            bool
	InitialStates            []string
	LastStartTag             string
	Output                   [][]any
	Errors                   []standardError
}

type standardError struct {
	Code      string
	Line, Col int
}

func standardCases(tb testing.TB) (cases []standardCase) {
	tb.Helper()
	file, err := os.Open("testdata/html5lib.json.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.NewDecoder(unzipped).Decode(&cases); err != nil {
		tb.Fatal(err)
	}
	return cases
}

// TestStandard checks tokens and errors with the cases of html5lib-tests. There are three
// deliberate differences: the text is valid UTF-8, so cases with lone surrogates say nothing;
// NUL in text is U+FFFD everywhere; and NUL in a CDATA section is an error, which the standard
// leaves to the next stage of the parser.
func TestStandard(t *testing.T) {
	checked := 0
	for _, c := range standardCases(t) {
		if c.DoubleEscaped {
			if c.Input = unescapeTwice(c.Input); !utf8.ValidString(c.Input) {
				continue
			}
		}
		states := c.InitialStates
		if states == nil {
			states = []string{"Data state"}
		}
		for _, state := range states {
			checked++
			got, want := standardTokens(c, state), wantTokens(c)
			if got != want {
				t.Errorf("%s, %s: %s: %q in %s\ngot\n%s\nwant\n%s", c.File, c.Description, c.Input, c.Input, state, got, want)
			}
		}
	}
	if checked < 6900 {
		t.Errorf("only %d cases", checked)
	}
}

var escaped = regexp.MustCompile(`\\u[0-9A-Fa-f]{4}`)

// unescapeTwice replaces the escape sequences of a case that is escaped twice. Lone surrogates
// become bytes that are not UTF-8.
func unescapeTwice(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(e string) string {
		n, _ := strconv.ParseUint(e[2:], 16, 32)
		if 0xD800 <= n && n < 0xE000 {
			return "\xFF"
		}
		return string(rune(n))
	})
}

// standardTokens returns the tokens and the errors of a case, one a line.
func standardTokens(c standardCase, initial string) string {
	var z Tokenizer
	z.Reset([]byte(c.Input), true)
	z.lastStartTag = c.LastStartTag
	if z.lastStartTag == "" {
		z.lastStartTag = "none"
	}
	var b strings.Builder
	text := ""
	flush := func() {
		if text != "" {
			fmt.Fprintf(&b, "Character %q\n", text)
		}
		text = ""
	}
	switch initial {
	case "RCDATA state":
		z.state = rcdataState
	case "RAWTEXT state":
		z.state = rawtextState
	case "Script data state":
		z.state = scriptDataState
	case "PLAINTEXT state":
		z.state = plaintextState
	case "CDATA section state":
		z.cdata(0)
		text = string(z.Data())
	}
	for z.Next() {
		switch token := &z.Token; token.Kind {
		case Text:
			text += string(z.Data())
		case CDATA:
			text += string(z.Data())
		case StartTag:
			flush()
			attributes := map[string]string{}
			for i := range token.Attributes {
				attributes[string(token.Attributes[i].Name)] = string(z.Value(&token.Attributes[i]))
			}
			fmt.Fprintf(&b, "StartTag %q %v", token.Name, attributes)
			if token.SelfClosing {
				b.WriteString(" true")
			}
			b.WriteString("\n")
		case EndTag:
			flush()
			fmt.Fprintf(&b, "EndTag %q\n", token.Name)
		case Comment:
			flush()
			fmt.Fprintf(&b, "Comment %q\n", z.Data())
		case Doctype:
			flush()
			fmt.Fprintf(&b, "DOCTYPE %s %s %s %v\n", idOf(token.Name, z.DoctypeIDs.HasName), idOf(z.DoctypeIDs.Public, z.DoctypeIDs.HasPublic),
				idOf(z.DoctypeIDs.System, z.DoctypeIDs.HasSystem), !z.DoctypeIDs.ForceQuirks)
		}
	}
	flush()
	var errors []standardError
	for _, e := range z.Errors.List {
		if initial == "CDATA section state" && e.Rule == "unexpected-null-character" && !slices.ContainsFunc(c.Errors, func(e standardError) bool { return e.Code == "unexpected-null-character" }) {
			continue
		}
		before := strings.ReplaceAll(c.Input[:e.Offset], "\r\n", "\n")
		before = strings.ReplaceAll(before, "\r", "\n")
		line := 1 + strings.Count(before, "\n")
		column := 1 + len(utf16.Encode([]rune(before[strings.LastIndex(before, "\n")+1:]))) // so the cases count
		errors = append(errors, standardError{e.Rule, line, column})
	}
	writeErrors(&b, errors)
	return b.String()
}

func idOf(id []byte, has bool) string {
	if !has {
		return "none"
	}
	return strconv.Quote(string(bytes.ReplaceAll(id, []byte{0}, []byte("\uFFFD"))))
}

func wantTokens(c standardCase) string {
	var b strings.Builder
	unescape := func(v any) string {
		s, _ := v.(string)
		if c.DoubleEscaped {
			s = unescapeTwice(s)
		}
		return s
	}
	for _, token := range c.Output {
		switch token[0] {
		case "Character":
			fmt.Fprintf(&b, "Character %q\n", strings.ReplaceAll(unescape(token[1]), "\x00", "\uFFFD"))
		case "StartTag":
			attributes := map[string]string{}
			for name, value := range token[2].(map[string]any) {
				attributes[unescape(name)] = unescape(value)
			}
			fmt.Fprintf(&b, "StartTag %q %v", unescape(token[1]), attributes)
			if len(token) > 3 {
				b.WriteString(" true")
			}
			b.WriteString("\n")
		case "DOCTYPE":
			fmt.Fprintf(&b, "DOCTYPE %s %s %s %v\n", idOf([]byte(unescape(token[1])), token[1] != nil), idOf([]byte(unescape(token[2])), token[2] != nil),
				idOf([]byte(unescape(token[3])), token[3] != nil), token[4])
		default:
			fmt.Fprintf(&b, "%s %q\n", token[0], unescape(token[1]))
		}
	}
	writeErrors(&b, c.Errors)
	return b.String()
}

func writeErrors(b *strings.Builder, errors []standardError) {
	var lines []string
	for _, e := range errors {
		lines = append(lines, fmt.Sprintf("%d:%d %s\n", e.Line, e.Col, e.Code))
	}
	slices.Sort(lines)
	for _, line := range lines {
		b.WriteString(line)
	}
}
