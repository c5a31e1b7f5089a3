package lsp

import (
	"context"
	"os"
	"path"
	"path/filepath"
)

// openText is a document that the editor has open.
type openText struct {
	uri      string
	path     string // as placeOf returns it
	language string
	version  int32
	text     *text
	bytes    []byte // of the text, nil until they are asked for
}

func (o *openText) body() []byte {
	if o.bytes == nil {
		o.bytes = []byte(o.text.body)
	}
	return o.bytes
}

// openTexts are the documents that the editor has open. [folders.mu] guards them.
type openTexts struct {
	encoding encoding
	byURI    map[string]*openText
}

type textDocument struct {
	URI     string `json:"uri" need:"yes"`
	Version int32  `json:"version"`
}

type didOpenParams struct {
	TextDocument struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int32  `json:"version"`
		Text       string `json:"text"`
	} `json:"textDocument"`
}

func didOpen(_ context.Context, s *Server, p *didOpenParams) error {
	d := &p.TextDocument
	s.folders.open(&openText{uri: d.URI, path: placeOf(d.URI), language: d.LanguageID, version: d.Version, text: newText(d.Text)})
	s.judging.rouse()
	return nil
}

type didChangeParams struct {
	TextDocument textDocument    `json:"textDocument"`
	Changes      []contentChange `json:"contentChanges"`
}

// contentChange replaces a range, or the whole text if there is none.
type contentChange struct {
	Range *span  `json:"range"`
	Text  string `json:"text"`
}

func didChange(_ context.Context, s *Server, p *didChangeParams) error {
	if !s.folders.change(p.TextDocument, p.Changes) {
		return errorf(codeInvalidParams, "%.200q is not open: the change is dropped", p.TextDocument.URI)
	}
	s.judging.rouse()
	return nil
}

func (c *contentChange) apply(t *text, e encoding) *text {
	if c.Range == nil {
		return newText(c.Text)
	}
	from, to := t.offset(c.Range.Start, e), t.offset(c.Range.End, e)
	if to < from {
		from, to = to, from
	}
	return t.replace(from, to, c.Text)
}

type documentParams struct {
	TextDocument textDocument `json:"textDocument" need:"yes"`
}

// didSave counts for files that say how others are judged. What was saved may be requested.
func didSave(_ context.Context, s *Server, p *documentParams) error {
	if file, ok := pathOfURI(p.TextDocument.URI); ok && isRules(file) {
		s.folders.filesChanged([]string{file})
		s.judging.rouse()
	}
	s.observing.resume()
	return nil
}

func didClose(_ context.Context, s *Server, p *documentParams) error {
	s.folders.shut(p.TextDocument.URI)
	s.judging.rouse()
	return nil
}

// isRules reports whether a file says how others are read or judged.
func isRules(file string) bool {
	switch path.Base(filepath.ToSlash(file)) {
	case configName, ".gitignore", ".ignore", "_redirects":
		return true
	}
	return false
}

const configName = "orbweaver.toml"

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

const fileChanged = 2

type watchedFilesParams struct {
	Changes []struct {
		URI  string `json:"uri"`
		Type int    `json:"type"`
	} `json:"changes"`
}

func didChangeWatchedFiles(_ context.Context, s *Server, p *watchedFilesParams) error {
	var files []string
	for _, c := range p.Changes {
		file, ok := pathOfURI(c.URI)
		if !ok || c.Type == fileChanged && s.folders.isOpen(file) && !isRules(file) {
			continue // what is open counts, whatever is saved
		}
		files = append(files, file)
	}
	s.folders.filesChanged(files)
	s.judging.rouse()
	return nil
}
