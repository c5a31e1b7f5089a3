package fix

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// context is how many lines around a change a patch shows.
const context = 3

// WritePatch writes the edits as a unified diff with the names below the root,
// which git apply, git am and patch -p1 take. Files are in order of their names.
func (p *Plan) WritePatch(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, f := range p.Files {
		writeDiff(out, f)
	}
	return out.Flush()
}

// block is a run of lines that change.
type block struct {
	first, last int // lines of the old file, from 0, the last one included
	text        []byte
}

// writeDiff writes the diff of one file. Where the changes are is known, so that
// nothing needs to be compared.
func writeDiff(out *bufio.Writer, f *File) {
	a, b := gitName("a/"+f.Name), gitName("b/"+f.Name)
	fmt.Fprintf(out, "diff --git %s %s\n--- %s\n+++ %s\n", a, b, ended(a), ended(b))
	lines := splitLines(f.before)
	blocks := f.blocks(lines)
	shift := 0 // how many lines longer the new file is, so far
	for i := 0; i < len(blocks); {
		j := i + 1
		for j < len(blocks) && blocks[j].first-blocks[j-1].last-1 <= 2*context {
			j++
		}
		shift += writeHunk(out, lines, blocks[i:j], shift)
		i = j
	}
}

// blocks are the lines that the edits change.
func (f *File) blocks(lines [][]byte) []block {
	var blocks []block
	line, start := 0, 0 // of the line that is looked at
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

// writeHunk writes blocks that stand close together and returns how many lines
// they add.
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

// splitLines cuts a text behind each LF.
func splitLines(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// gitName writes a file name as git does: quoted like a string in C when it holds
// what would end or garble the line.
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

// ended puts a tab behind a name with blanks, so that programs know where it ends.
func ended(name string) string {
	if strings.Contains(name, " ") && name[0] != '"' {
		return name + "\t"
	}
	return name
}
