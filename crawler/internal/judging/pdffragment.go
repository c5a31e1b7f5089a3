package judging

import "strings"

const (
	pdfPage  = "page="
	pdfNamed = "nameddest="
)

// isPDF reports whether a document that was read is a PDF. Servers use many media types
// for PDF, but the reader makes an anchor of each page.
func isPDF[S anchorSet](contentType string, set S) bool {
	return contentType == "application/pdf" || !isHTML(contentType) && set.Has(HashAnchor(pdfPage+"1"))
}

// missingInPDF returns the decoded part of a fragment whose page or destination is not
// in the document, or "". Parameters are separated by '&' (RFC 8118 section 3). Those
// that only say how to display the document (zoom, view, toolbar, search and additions
// of viewers) are not looked up. A part without '=' is the name of a destination, or in
// some viewers the number of a page.
func missingInPDF[S anchorSet](set S, fragment string) string {
	for part := range strings.SplitSeq(fragment, "&") {
		part = percentDecode(part)
		has := func(name string) bool { return set.Has(HashAnchor(name)) }
		page, isPage := strings.CutPrefix(part, pdfPage)
		name, isNamed := strings.CutPrefix(part, pdfNamed)
		switch {
		case isPage:
			if !has(pdfPage + strings.TrimLeft(page, "0")) {
				return part
			}
		case isNamed:
			if !has(name) {
				return name
			}
		case part == "" || isTop(part) || part[0] == '[' || has(part):
			// A bracket begins an explicit destination, which viewers write.
		case !strings.Contains(part, "=") && !has(pdfPage+part):
			return part
		}
	}
	return ""
}

// quotePDF describes a part of a fragment for a message.
func quotePDF(part string) string {
	if number, isPage := strings.CutPrefix(part, pdfPage); isPage {
		return "page " + quoteName(number)
	}
	return "destination " + quoteName(part)
}
