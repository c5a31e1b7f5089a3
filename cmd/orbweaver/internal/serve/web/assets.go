package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/report"
)

//go:embed static/*
var staticFiles embed.FS

// asset is a file below /static/, whose name has a hash of its content.
type asset struct {
	name, contentType string
	text              []byte
}

// assets returns the assets by their plain names, such as "style.css".
var assets = sync.OnceValue(func() map[string]*asset {
	css, js := report.Theme()
	all := map[string]*asset{}
	add := func(plain string, text []byte) {
		sum := sha256.Sum256(text)
		extension := path.Ext(plain)
		types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
		all[plain] = &asset{strings.TrimSuffix(plain, extension) + "-" + hex.EncodeToString(sum[:6]) + extension, types[extension], text}
	}
	add("theme.js", []byte(js))
	files, err := staticFiles.ReadDir("static")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, f := range files {
		text, err := staticFiles.ReadFile("static/" + f.Name())
		if err != nil {
			panic(err)
		}
		if f.Name() == "style.css" {
			text = append([]byte(css), text...)
		}
		add(f.Name(), text)
	}
	return all
})

func assetPath(plain string) string { return "static/" + assets()[plain].name }

func static(c *Call) error {
	for _, a := range assets() {
		if a.name != c.Params["file"] {
			continue
		}
		h := c.W.Header()
		h.Set("Content-Type", a.contentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		send(c, http.StatusOK, a.text)
		return nil
	}
	return api.NewProblem(http.StatusNotFound, "there is no such file")
}
