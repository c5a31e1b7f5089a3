package fix

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// context is the number of lines around a change in a patch.
const context = 3

// WritePatch writes the edits as a unified diff for git apply, git am and patch -p1.
// Names are relative to the root, and files are sorted by name.
func (p *Plan) WritePatch(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, f := range p.Files {
		writeDiff(out, f)
	}
	return out.Flush()
}

// block is a range of lines that change.
type block struct {
	first, last int // first and last line in the old file, counted from 0
	text        []byte
}

// writeDiff writes the diff of one file. The positions of changes are known, so nothing
// is compared.
func writeDiff(out *bufio.Writer, f *File) {
	a, b := gitName("a/"+f.name), gitName("b/"+f.name)
	fmt.Fprintf(out, "diff --git %s %s\n--- %s\n+++ %s\n", a, b, terminated(a), terminated(b))
	lines := splitLines(f.before)
	blocks := f.blocks(lines)
	shift := 0 // number of lines added so far
	for i := 0; i < len(blocks); {
		j := i + 1
		for j < len(blocks) && blocks[j].first-blocks[j-1].last-1 <= 2*context {
			j++
		}
		shift += writeHunk(out, lines, blocks[i:j], shift)
		i = j
	}
}

// blocks returns the lines that the edits change.
func (f *File) blocks(lines [][]byte) []block {
	var blocks []block
	line, start := 0, 0 // current line and its offset
	for i := 0; i < len(f.Edits); {
		for start+len(lines[line]) <= f.Edits[i].start {
			start += len(lines[line])
			line++
		}
		b := block{first: line, last: line}
		copied, end := start, start+len(lines[line])
		for ; i < len(f.Edits) && f.Edits[i].start < end; i++ {
			e := &f.Edits[i]
			b.text = append(append(b.text, f.before[copied:e.start]...), e.written...)
			copied = e.end
			for end < e.end {
				b.last++
				end += len(lines[b.last])
			}
		}
		b.text = append(b.text, f.before[copied:end]...)
		blocks = append(blocks, b)
		line, start = b.last, end-len(lines[b.last])
	}
	return blocks
}

// writeHunk writes blocks that are close together, and returns the number of added lines.
func writeHunk(out *bufio.Writer, lines [][]byte, blocks []block, shift int) (added int) {
	first := max(blocks[0].first-context, 0)
	last := min(blocks[len(blocks)-1].last+context, len(lines)-1)
	var body bytes.Buffer
	was, is := 0, 0
	put := func(mark byte, line []byte) {
		body.WriteByte(mark)
		body.Write(line)
		if len(line) == 0 || line[len(line)-1] != '\n' {
			body.WriteString("\n\\ No newline at end of file\n")
		}
	}
	at := first
	for _, b := range blocks {
		for ; at < b.first; at++ {
			put(' ', lines[at])
			was, is = was+1, is+1
		}
		for ; at <= b.last; at++ {
			put('-', lines[at])
			was++
		}
		for _, line := range splitLines(b.text) {
			put('+', line)
			is++
		}
	}
	for ; at <= last; at++ {
		put(' ', lines[at])
		was, is = was+1, is+1
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", first+1, was, first+1+shift, is)
	out.Write(body.Bytes())
	return is - was
}

// splitLines splits a text after each LF.
func splitLines(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// gitName returns a file name as git writes it: quoted as a C string if it contains
// characters that would end the name or break the line.
func gitName(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7F || r == '"' || r == '\\' }) < 0 {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7F:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// terminated appends a tab to a name with spaces, so that programs find its end.
func terminated(name string) string {
	if strings.Contains(name, " ") && name[0] != '"' {
		return name + "\t"
	}
	return name
}
