package extract

import "bytes"

// geminiFormat is gemtext, the markup of Gemini (Gemini hypertext format 0.24.1). Each
// link is on a line of its own, "=> URL text". Text between lines that begin with ``` is
// ignored, and other lines cannot contain links. There are no anchors.
var geminiFormat = format{
	name:       "gemini",
	media:      []string{"text/gemini"},
	extensions: []string{"gmi", "gemini"},
	charset:    textCharset,
	read:       readGemini,
}

func readGemini(h *harvest, in *Input) {
	h.doc.Static = true
	b, preformatted := h.src.text, false
	for i := 0; i < len(b); i = nextLine(b, i) {
		line := b[i:endOfLine(b, i)]
		switch {
		case bytes.HasPrefix(line, []byte("```")):
			preformatted = !preformatted
		case preformatted:
		case bytes.HasPrefix(line, []byte("=>")):
			if in.AnchorsOnly {
				continue
			}
			start := skipBlanks(line, len("=>"))
			end := start
			for end < len(line) && line[end] != ' ' && line[end] != '\t' {
				end++
			}
			if start == end || holdsPlaceholder(line[start:end]) {
				continue
			}
			if f := h.add(&h.src, span{i + start, i + end}, nil); f != nil {
				f.Element, f.Attribute = "a", "href"
				f.Text = h.keep(trimFolded(foldSpace(nil, line[end:])))
			}
		case h.doc.Title == "" && bytes.HasPrefix(line, []byte("#")):
			h.doc.Title = string(trimFolded(foldSpace(nil, bytes.TrimLeft(line, "#"))))
		}
	}
}
