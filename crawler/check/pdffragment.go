package check

import "strings"

const (
	pdfPage  = "page="
	pdfNamed = "nameddest="
)

// isPDF reports whether a document that was read is a PDF. Servers have many names
// for it; the reader makes an anchor of each page.
func isPDF[S anchorSet](contentType string, set S) bool {
	return contentType == "application/pdf" || !isHTML(contentType) && set.Has(HashAnchor(pdfPage+"1"))
}

// missingInPDF returns the part of a fragment that names a page or a destination
// the document does not have, decoded; "" when there is none. RFC 8118 section 3
// joins parameters by '&'; those that only say how to show the document (zoom,
// view, toolbar, search and what viewers added) are there without being looked
// up. A part without '=' is the name of a destination, and in some viewers a page's
// number.
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
			// The bracket begins an explicit destination, which viewers write themselves.
		case !strings.Contains(part, "=") && !has(pdfPage+part):
			return part
		}
	}
	return ""
}

// quotePDF names a part of a fragment in a message.
func quotePDF(part string) string {
	if number, isPage := strings.CutPrefix(part, pdfPage); isPage {
		return "page " + quoteName(number)
	}
	return "destination " + quoteName(part)
}
