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

// repairNouns describe what is wrong with a reference that needs a repair.
var repairNouns = []struct {
	repair urinorm.Repairs
	noun   string
}{
	{urinorm.RepairTrimmed, "spaces or control characters around it"},
	{urinorm.RepairTabOrNewline, "tabs or line breaks inside it"},
	{urinorm.RepairBackslash, "a backslash in place of a slash"},
	{urinorm.RepairSpace, "a space inside it"},
	{urinorm.RepairIllegal, "a character that must be percent-encoded"},
	{urinorm.RepairPercent, "a % without two hexadecimal digits"},
	{urinorm.RepairEncoding, "bytes that are not UTF-8"},
	{urinorm.RepairSlashes, "too few or too many slashes after the scheme"},
	{urinorm.RepairSchemeRelative, "a scheme without //"},
	{urinorm.RepairDriveLetter, "a | in place of the : after a drive letter"},
}

// RepairWarnings returns the warnings about the spelling of a reference.
func RepairWarnings(repairs urinorm.Repairs) []check.Warning {
	var warnings []check.Warning
	if repairs.Repaired() {
		var nouns []string
		for _, row := range repairNouns {
			if repairs.Has(row.repair) {
				nouns = append(nouns, row.noun)
			}
		}
		message := "browsers repair the reference: it has " + strings.Join(nouns, ", ")
		warnings = append(warnings, check.Warning{Code: CodeURIRepaired, Message: message})
	}
	for _, row := range [...]struct {
		repair  urinorm.Repairs
		code    check.Code
		message string
	}{
		{urinorm.RepairCredentials, check.CodeURICredentials, "the reference contains a password that every reader can see"},
		{urinorm.RepairMisleadingUserinfo, check.CodeURIMisleadingUserinfo, "the part before the @ looks like a host, but is only a user name"},
		{urinorm.RepairObfuscatedIP, check.CodeURIObfuscatedIP, "the host is an IP address in an unusual form"},
	} {
		if repairs.Has(row.repair) {
			warnings = append(warnings, check.Warning{Code: row.code, Message: row.message})
		}
	}
	return warnings
}
