package fetch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// dictd runs a dictionary server with two words.
func dictd(t *testing.T) string {
	t.Helper()
	dir := publicDir(t)
	for name, text := range map[string]string{
		"plants.dict":  "tree\n a plant\nbig tree\n more\n",
		"plants.index": "big tree\tO\tP\ntree\tA\tO\n", // word, offset and length in base 64
		"dictd.conf":   fmt.Sprintf("database plants { data %q index %q }\n", filepath.Join(dir, "plants.dict"), filepath.Join(dir, "plants.index")),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return superServer(t, "dictd", "--inetd", "--config", filepath.Join(dir, "dictd.conf")).String()
}

func TestDictd(t *testing.T) {
	at := dictd(t)
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for _, row := range []struct{ path, want string }{
		{"", "ok"}, {"/", "ok"}, {"/d:tree", "ok"}, {"/d:tree:plants", "ok"}, {"/d:big%20tree:plants:1", "ok"}, {"/d:tree:*", "ok"},
		{"/m:tre", "ok"}, {"/m:tre:plants:prefix", "ok"}, {"/m:zzzzzzzzz:plants:exact", "file-missing"},
		{"/d:stone", "file-missing"}, {"/d:tree:stones", "file-missing"}, {"/m:tree:plants:nonsense", "file-missing"},
		{"/d:a%22b%5C", "file-missing"}, {"/d:", "uri-invalid"}, {"/q:tree", "uri-invalid"},
	} {
		resp, _, fault := fetchURL(t, others, "dict://"+at+row.path, Existence)
		if got := verdict(resp, fault); got != row.want {
			t.Errorf("%s: %s (%v), want %s", row.path, got, fault, row.want)
		}
	}
}

func TestDictAnswers(t *testing.T) {
	for _, row := range []struct{ greeting, answer, want string }{
		{"420 later\r\n", "", "rate-limited"},
		{"530 no\r\n", "", "file-unreadable"},
		{"220 hello\r\n", "420 later\r\n", "rate-limited"},
		{"220 hello\r\n", "500 what?\r\n", "protocol-error"},
	} {
		server := serveLines(t, func(c *serverConn) { c.script(row.greeting, map[string]string{"": row.answer}) })
		_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
		_, _, fault := fetchURL(t, others, "dict://"+server.addr.String()+"/d:tree", Existence)
		if fault == nil || fault.Kind != row.want {
			t.Errorf("%q %q: %v, want %s", row.greeting, row.answer, fault, row.want)
		}
	}
}
