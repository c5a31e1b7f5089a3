package judging

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// expectNouns describe what a reference asks for.
var expectNouns = map[extract.Expect]string{
	extract.ExpectImage:  "an image",
	extract.ExpectScript: "a script",
	extract.ExpectStyle:  "a style sheet",
}

// MismatchWarning returns the warning content-type-mismatch if a reference that asks for
// an image, a script or a style sheet was answered with HTML. Other types prove
// nothing: servers send images as application/octet-stream and scripts as text/plain,
// and browsers accept them.
func MismatchWarning(expect extract.Expect, contentType string) (check.Warning, bool) {
	noun, received := expectNouns[expect], fetch.MediaType(contentType)
	if noun == "" || !isHTML(received) {
		return check.Warning{}, false
	}
	return check.Warning{Code: CodeContentTypeMismatch, Message: noun + " was expected, but the server sent " + received}, true
}

// MixedContentWarning returns the warning mixed-content if an https page loads a part of
// itself without encryption (Mixed Content 4): an image, a script, a style sheet, a
// frame. Loopback hosts are as safe as https (Secure Contexts 3.1) and exempt, including
// "localhost" and the names below it. The message says what a browser does: it upgrades
// images, audio and video to https, and blocks the rest.
func MixedContentWarning(page, target urinorm.URL, link *extract.Link) (check.Warning, bool) {
	frame := link.Kind == extract.Navigation && frames[link.Element]
	if !frame && link.Kind != extract.Resource && link.Kind != extract.Stylesheet {
		return check.Warning{}, false
	}
	if page.Scheme() != "https" || target.Scheme() != "http" || isTrustworthy(target.Host()) {
		return check.Warning{}, false
	}
	message := "browsers block this on an https page"
	if isUpgradable(link) {
		message = "browsers request this over https, because the page is served over https"
	}
	return check.Warning{Code: check.CodeMixedContent, Message: message}, true
}

// frames are the elements that show another document inside the page.
var frames = map[string]bool{"iframe": true, "frame": true, "embed": true, "object": true}

// isUpgradable reports whether a browser retries a mixed load with https (Mixed
// Content 3.1), which excludes srcset and picture.
func isUpgradable(link *extract.Link) bool {
	switch link.Element {
	case "img", "image", "audio", "video", "source":
		return link.Attribute != "srcset" && link.Attribute != "imagesrcset"
	}
	return link.Element == "style" && link.Expect == extract.ExpectImage
}

func isTrustworthy(host string) bool {
	return urinorm.IsLoopback(host) || strings.HasSuffix(host, ".localhost")
}

// repairNouns describe what is wrong with a reference that needs a repair, by the name of the repair.
var repairNouns = map[string]string{
	"trimmed":           "spaces or control characters around it",
	"tab-or-newline":    "tabs or line breaks inside it",
	"backslash":         "a backslash in place of a slash",
	"space":             "a space inside it",
	"illegal-character": "a character that must be percent-encoded",
	"malformed-percent": "a % without two hexadecimal digits",
	"invalid-utf8":      "bytes that are not UTF-8",
	"slashes":           "too few or too many slashes after the scheme",
	"scheme-relative":   "a scheme without //",
	"drive-letter":      "a | in place of the : after a drive letter",
}

// repairMessages are the messages of the other codes about the spelling of a reference.
var repairMessages = map[check.Code]string{
	check.CodeURICredentials:        "the reference contains a password that every reader can see",
	check.CodeURIMisleadingUserinfo: "the part before the @ looks like a host, but is only a user name",
	check.CodeURIObfuscatedIP:       "the host is an IP address in an unusual form",
}

// RepairWarnings returns the warnings about the spelling of a reference.
func RepairWarnings(repairs urinorm.Repairs) []check.Warning {
	var warnings []check.Warning
	for _, name := range repairs.Codes() {
		code := check.Code(name)
		message, known := repairMessages[code]
		if !known {
			message = "browsers repair the reference: it has " + strings.Join(nounsOf(repairs), ", ")
		}
		warnings = append(warnings, check.Warning{Code: code, Message: message})
	}
	return warnings
}

// nounsOf returns what is wrong with a reference.
func nounsOf(repairs urinorm.Repairs) (nouns []string) {
	for _, name := range repairs.Names() {
		if noun := repairNouns[name]; noun != "" {
			nouns = append(nouns, noun)
		}
	}
	return nouns
}
