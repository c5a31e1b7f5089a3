package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"sync"
)

//go:embed htmlreport/page.tmpl htmlreport/style.css htmlreport/app/*.js htmlreport/vendor/sigma.js
var htmlFiles embed.FS

type htmlParts struct {
	template *template.Template
	// Policy is the Content-Security-Policy. It permits only the scripts and styles of
	// the report, no loading or sending, and no conversion of strings to markup.
	Policy             string
	Style              template.CSS
	Theme, Sigma, View template.JS
}

var htmlAssets = sync.OnceValues(func() (*htmlParts, error) {
	p := &htmlParts{}
	style, err := asset("style.css")
	if err != nil {
		return nil, err
	}
	css, theme := Theme()
	style = css + style
	sigma, err := asset("vendor/sigma.js")
	if err != nil {
		return nil, err
	}
	view, err := htmlScript()
	if err != nil {
		return nil, err
	}
	p.template, err = template.ParseFS(htmlFiles, "htmlreport/page.tmpl")
	if err != nil {
		return nil, fmt.Errorf("read the template of the HTML report: %w", err)
	}
	p.Style, p.Theme, p.Sigma, p.View = template.CSS(style), template.JS(theme), template.JS(sigma), template.JS(view)
	p.Policy = "default-src 'none'; img-src data:; style-src " + sourceHash(style) +
		"; script-src " + sourceHash(theme) + " " + sourceHash(sigma) + " " + sourceHash(view) +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	return p, nil
})

// Theme returns the style sheet and the script of the visual language that HTML reports and
// the web interface share: colors, type, tables, chips, tabs and charts, and the choice
// between light and dark. Both are constant.
func Theme() (css, js string) { return themeCSS, themeJS }

//go:embed htmlreport/theme.css
var themeCSS string

//go:embed htmlreport/theme.js
var themeJS string

func asset(name string) (string, error) {
	b, err := htmlFiles.ReadFile("htmlreport/" + name)
	if err != nil {
		return "", fmt.Errorf("read a part of the HTML report: %w", err)
	}
	return string(b), nil
}

// htmlScript joins the scripts of the views, in the order of their names, into one that
// adds nothing to the global scope of the page.
func htmlScript() (string, error) {
	names, err := fs.Glob(htmlFiles, "htmlreport/app/*.js")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range names {
		text, err := asset(strings.TrimPrefix(name, "htmlreport/"))
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	b.WriteString("})();\n")
	return b.String(), nil
}

// sourceHash returns the source expression of a script or style for a
// Content-Security-Policy.
func sourceHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
