package extract

import (
	"slices"
	"strings"
)

// formats are asked in this order.
var formats = []*format{&netscapeFormat, &chromiumFormat, &firefoxBackupFormat, &htmlFormat, &xhtmlFormat, &cssFormat,
	&sitemapFormat, &rssFormat, &atomFormat, &opmlFormat, &svgFormat, &safariFormat, &xmlFormat, &gzipFormat,
	&placesFormat, &placesCopyFormat, &mozillaLZ4Format, &safariBinaryFormat, &operaFormat,
	&jsonFeedFormat, &jsonFeedTypedFormat, &notebookServedFormat, &manifestFormat, &manifestNamedFormat,
	&docxFormat, &xlsxFormat, &pptxFormat, &odtFormat, &odsFormat, &odpFormat, &odgFormat, &epubFormat, &pdfFormat,
	&markdownFormat, &notebookFormat, &rstFormat, &asciidocFormat, &asciidocShortFormat, &orgFormat, &geminiFormat,
	&textFormat, &csvFormat, &tsvFormat, &mailFormat}

// unspecific media types say nothing of the format: servers give them to files
// they do not know.
var unspecific = map[string]bool{
	"": true, "application/octet-stream": true, "binary/octet-stream": true,
	"application/unknown": true, "unknown/unknown": true, "*/*": true,
}

// Readable reports which reader takes a document. The media type is asked first;
// one that is neither missing nor unspecific (application/octet-stream) decides,
// also that there is no reader: what a server calls an image is one. Then the
// name decides, or its extension, when a format has it; then the first bytes.
// Formats that are written in another (bookmarks in HTML, feeds in XML, manifests in
// JSON) are told from it by the first bytes in any case.
// Head may be shorter than SniffLength. It is nil when the content is not at hand, and
// empty where there is none.
func Readable(contentType, name string, head []byte) (format string, ok bool) {
	if f := formatOf(contentType, name, head); f != nil {
		return f.name, true
	}
	return "", false
}

// InDirectory reports whether documents of a format, as Readable names it, are read
// when they are met in a directory. Those of the others, such as plain text, are
// read when the user names them.
func InDirectory(format string) bool {
	for _, f := range formats {
		if f.name == format && !f.named {
			return true
		}
	}
	return false
}

// ReadInPlace reports whether documents of a format, as Readable names it, are read
// from their file where Input.Path names it: the Body need hold no more than the
// first bytes then.
func ReadInPlace(format string) bool {
	for _, f := range formats {
		if f.name == format && f.inPlace {
			return true
		}
	}
	return false
}

// ReadInPieces reports whether documents of a format, as Readable names it, may be read
// piece by piece (Input.Rest).
func ReadInPieces(format string) bool {
	for _, f := range formats {
		if f.name == format && f.pieces {
			return true
		}
	}
	return false
}

// format finds the reader of a document. One without a body is empty, unless it can be
// read from its file.
func (in *Input) format() *format {
	head := in.Body
	if head == nil && in.Path == "" {
		head = []byte{}
	}
	return formatOf(in.ContentType, in.Name, head)
}

func formatOf(contentType, name string, head []byte) *format {
	head = head[:min(len(head), SniffLength)]
	media, _, _ := strings.Cut(contentType, ";")
	if media = strings.ToLower(strings.Trim(media, " \t\r\n")); !unspecific[media] {
		return findFormat(head, func(f *format) bool { return slices.Contains(f.media, media) })
	}
	name = strings.ToLower(name)
	if f := findFormat(head, func(f *format) bool { return slices.Contains(f.names, name) }); f != nil {
		return f
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		extension := name[dot+1:]
		if f := findFormat(head, func(f *format) bool { return slices.Contains(f.extensions, extension) }); f != nil {
			return f
		}
	}
	return findFormat(head, func(f *format) bool { return f.sniff != nil && !f.confirms && f.sniff(head) })
}

// findFormat returns the first format that is meant and, when it is a signed one,
// whose signature the first bytes bear. Where they are not at hand, a signed
// format is the answer when no other is.
func findFormat(head []byte, is func(*format) bool) *format {
	var unproven *format
	for _, f := range formats {
		switch {
		case !is(f):
		case !f.signed || head != nil && f.sniff(head):
			return f
		case head == nil && unproven == nil:
			unproven = f
		}
	}
	return unproven
}
