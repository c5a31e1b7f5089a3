package extract

import (
	"slices"
	"testing"
)

// TestXSLTTemplates: in the pages that XSLT writes, braces in attributes hold expressions, which
// Docusaurus's feeds use. Other XML has no such rule.
func TestXSLTTemplates(t *testing.T) {
	const page = `<html xmlns="http://www.w3.org/1999/xhtml"><link rel="stylesheet" href="atom.css"/>` +
		`<a href="{atom:link/@href}">x</a><img src="img/{@id}.png"/><a href="about.html">y</a></html>`
	for name, want := range map[string][]bool{
		`<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">` + page + `</xsl:template></xsl:stylesheet>`: {false, true, true, false},
		`<pages>` + page + `</pages>`: {false, false, false, false},
	} {
		var got []bool
		doc := Extract(Input{Body: []byte(name), Name: "atom.xsl"})
		for _, l := range doc.Links {
			got = append(got, l.Placeholder)
		}
		if !slices.Equal(got, want) {
			t.Errorf("placeholders %v, want %v, in %s", got, want, name)
		}
	}
}
