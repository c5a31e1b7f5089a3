package notify

import (
	"fmt"
	"strconv"
)

// BadgeType is the media type of a badge.
const BadgeType = "image/svg+xml; charset=utf-8"

// Unknown is the number of broken links of a project without a sound run.
const Unknown = -1

// Badge returns an image with the number of broken links of a project's last sound run.
// White text on each of its colors has a contrast of at least 4.5.
func Badge(broken int) []byte {
	text, color := strconv.Itoa(broken)+" broken", "#b3261e"
	switch {
	case broken == Unknown:
		text, color = "unknown", "#5f6368"
	case broken == 0:
		text, color = "ok", "#1b7a3d"
	}
	const label, labelWidth = "links", 40
	width := 14 + 7*len(text)
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[2]s: %[3]s">`+
		`<title>%[2]s: %[3]s</title>`+
		`<clipPath id="r"><rect width="%[1]d" height="20" rx="3"/></clipPath>`+
		`<g clip-path="url(#r)"><rect width="%[4]d" height="20" fill="#444"/><rect x="%[4]d" width="%[5]d" height="20" fill="%[6]s"/></g>`+
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">`+
		`<text x="%[7]d" y="14">%[2]s</text><text x="%[8]d" y="14">%[3]s</text></g></svg>`+"\n",
		labelWidth+width, label, text, labelWidth, width, color, labelWidth/2, labelWidth+width/2)
}
