package service

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/strictjson"
)

// A document is JSON, or TOML that becomes JSON that the import can read.
func FuzzReadExchange(f *testing.F) {
	for _, s := range []string{"version = 2\n[[projects]]\nname = 'A'\ntargets = ['https://example.com/']\n[projects.options]\ndepth = 3\n", "a.b.c = [[1], {x = 1979-05-27T07:32:00Z}]", "x = nan", `{"version": 2}`, "x = \"\\u0000\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		document, err := ReadExchange(text)
		if err != nil || bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			return
		}
		if !json.Valid(document) {
			t.Fatalf("%q became %q", text, document)
		}
		if err := strictjson.CheckUpTo(t.Context(), document, maxImportParts); err != nil {
			t.Errorf("%q became %q: %v", text, document, err)
		}
	})
}
