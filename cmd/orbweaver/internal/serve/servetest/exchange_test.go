package servetest

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// exported returns an export.
func (s *server) exported(query string) string {
	s.t.Helper()
	a := s.send("GET", "api/v1/export?"+query, nil)
	if a.status != 200 {
		s.t.Fatalf("export: status %d, %s", a.status, a.body)
	}
	return string(a.body)
}

// imported posts a document, and returns what it did.
func (s *server) imported(query, document string, status int) *answer {
	s.t.Helper()
	media := "application/toml"
	if strings.HasPrefix(document, "{") {
		media = "application/json"
	}
	a := s.send("POST", "api/v1/import"+query, document, header("Content-Type", media))
	if a.status != status {
		s.t.Fatalf("import: status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

func TestExportAndImport(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a><a href="gone2">x</a>`})
	s := open(t, t.TempDir())
	docs := s.create(object{"name": "Docs", "targets": []string{web.URL}, "schedule": "@daily", "options": object{"retries": 0, "depth": "3", "exclude": []string{"a", "b"}, "second-pass-after": "0s", "soft-404": true},
		"tags": []string{"b", "a"}, "quiet": object{"from": "20:00", "to": "07:00", "days": []string{"sat"}, "zone": "Europe/Berlin"}})
	s.create(object{"name": "Second \"quoted\"", "targets": []string{"https://example.com/", "https://example.org/"}})
	run := s.checked(docs)
	found := s.items("runs/" + run + "/findings?verdict=broken")
	if len(found) != 2 {
		t.Fatalf("%d findings", len(found))
	}
	s.call("PUT", "projects/"+docs+"/marks/"+found[0]["fingerprint"].(string), object{"as": "known", "reason": "moves", "until": time.Now().AddDate(1, 0, 0).UTC().Format(time.DateOnly)}, 200, nil)
	s.call("PUT", "projects/"+docs+"/marks/"+found[1]["issue"].(string), object{"as": "false-alarm", "reason": "a robot"}, 200, nil)
	s.call("POST", "projects/"+docs+"/views", object{"name": "mine", "query": "verdict=broken&known=false"}, 201, nil)
	first := map[string]string{}
	for _, format := range []string{"json", "toml"} {
		first[format] = s.exported("format=" + format)
		for _, id := range []string{docs, run, found[0]["fingerprint"].(string)} {
			if strings.Contains(first[format], id) {
				t.Errorf("the export has the id %s:\n%s", id, first[format])
			}
		}
	}
	for _, want := range []string{`"version": 2`, `"url": "` + web.URL + `/gone"`, `"code": "http-404"`, `"kind": "document"`, `"urls": []`, `"access": null`, `"query": "verdict=broken&known=false"`} {
		if !strings.Contains(first["json"], want) {
			t.Errorf("the export lacks %s:\n%s", want, first["json"])
		}
	}
	if one := s.exported("project=" + docs); strings.Contains(one, "Second") || !strings.Contains(one, "Docs") {
		t.Errorf("the export of one project:\n%s", one)
	}
	// Into an empty server, without runs: the same bytes, in both formats.
	for _, format := range []string{"json", "toml"} {
		other := open(t, t.TempDir())
		if got := string(other.imported("?try=true", first[format], 200).body); !strings.Contains(got, `"added":["Docs","Second \"quoted\""]`) || len(other.items("projects")) != 0 {
			t.Errorf("a try: %s", got)
		}
		other.imported("", first[format], 200)
		for again, want := range first {
			if got := other.exported("format=" + again); got != want {
				t.Errorf("imported as %s, exported as %s:\n%s\nwant\n%s", format, again, got, want)
			}
		}
		if got := string(other.imported("", first[format], 200).body); !strings.Contains(got, `"same":["Docs","Second \"quoted\""]`) {
			t.Errorf("imported again: %s", got)
		}
		// The mark holds when the finding comes.
		project := other.items("projects")[0]["id"].(string)
		run := other.checked(project)
		if got := other.items("runs/" + run + "/findings?known=true"); len(got) != 2 {
			t.Errorf("%d findings are known, want 2", len(got))
		}
		if audit := other.audited("action=import"); len(audit) != 2 || audit[0].Subject != "2 projects" {
			t.Errorf("the audit log has %v", audit)
		}
		// A change of one member.
		changed := strings.Replace(first["json"], `"schedule": "@daily"`, `"schedule": "@hourly"`, 1)
		if got := string(other.imported("", changed, 200).body); !strings.Contains(got, `"changed":["Docs"]`) || !strings.Contains(got, `"same":["Second`) {
			t.Errorf("a changed project: %s", got)
		}
		other.imported("", `{"version": 2, "projects": [{"name": "Docs", "tags": ["c"]}]}`, 200)
		if got := other.exported(""); !strings.Contains(got, "@hourly") || !strings.Contains(got, `"c"`) {
			t.Errorf("members that are left out are lost:\n%s", got)
		}
	}
}

func TestImportFaults(t *testing.T) {
	s := open(t, t.TempDir())
	hook := newSink(t, "")
	project := s.create(object{"name": "Docs", "targets": []string{"https://example.com/"}, "options": object{"header": []string{"X-Key: one"}}, "notify": []object{{"type": "webhook", "url": hook.URL + "/hidden", "secret": "hush"}}})
	text := s.exported("")
	if strings.Contains(text, "X-Key") || strings.Contains(text, "hidden") || strings.Contains(text, "hush") {
		t.Errorf("the export has secrets:\n%s", text)
	}
	if got := string(s.imported("", strings.Replace(text, `"tags": []`, `"tags": ["x"]`, 1), 200).body); !strings.Contains(got, `"changed":["Docs"]`) {
		t.Errorf("with hidden secrets: %s", got)
	}
	s.call("POST", "projects/"+project+"/notify/0/test", nil, 200, nil)
	hook.wait(t, 1) // its address was kept
	for _, row := range []struct{ document, field string }{
		{strings.Replace(text, `"Docs"`, `"New"`, 1), "projects.0.options.header"},
		{strings.Replace(strings.Replace(text, `"Docs"`, `"New"`, 1), `"***"`, `"X-Key: two"`, 1), "projects.0.notify.0.url"},
		{`{"version": 2, "projects": [{"name": "A", "targets": ["https://example.com/"]}, {"name": "B"}]}`, "projects.1.targets"},
		{`{"version": 2, "projects": [{"name": "A", "targets": ["https://example.com/"], "color": "red"}]}`, "projects.0.color"},
		{`{"version": 2, "projects": [{"name": "A", "targets": ["https://example.com/"], "marks": [{"as": "known", "reason": "x", "url": "https://example.com/a"}]}]}`, "projects.0.marks.0.code"},
		{`{"version": 2, "projects": [{"name": "A", "targets": ["https://example.com/"], "marks": [{"as": "maybe", "reason": "x", "url": "https://example.com/a", "code": "http-404"}]}]}`, "projects.0.marks.0.as"},
		{`{"version": 2, "projects": [{"name": "A", "targets": ["https://example.com/"], "views": [{"name": "x", "query": "color=red"}]}]}`, "projects.0.views.0.query"},
		{`{"version": 1, "projects": []}`, "version"}, {`{"projects": []}`, "version"}, {`{"version": 2, "projects": ["x"]}`, "projects.0"},
		{"version = 2\n[[projects]]\nname = 'A'\ntargets = ['gopher://x']\n", "projects.0.targets.0"},
	} {
		if a := s.imported("", row.document, 422); !strings.Contains(string(a.body), `"field":"`+row.field+`"`) {
			t.Errorf("%s:\n%s, want a fault at %s", row.document, a.body, row.field)
		}
	}
	s.imported("", `{"version": 2, "projects": [{"name": "A", "targets": ["https://example.com/"]}, {"name": "A", "targets": ["https://example.com/"]}]}`, 409)
	s.imported("", `{"version": 2, "projects": [], "projects": []}`, 400)
	s.imported("", "version = 2\nx = "+strings.Repeat("[", 1000)+"\n", 400)
	s.imported("", strings.Repeat("a.", 1000)+"b = 1\n", 400)
	s.imported("", "version = ", 400)
	s.imported("", "version = 2\nx = ["+strings.Repeat("']', ", 1000)+strings.Repeat("[", 1000)+"\n", 400)
	s.imported("", "version = 2\n"+strings.Repeat("[[x]]\n", 300_000), 400)
	s.imported("", `{"version": 2, "projects": [{"name": "A", "options": {"o": 0`+strings.Repeat(`,"o":0`, 500_000)+`}}]}`, 400)
	// Brackets in strings are text.
	s.imported("?try=true", "version = 2\n[[projects]]\nname = 'Brackets'\ntargets = ['https://example.com/']\n[projects.options]\nexclude = ["+strings.Repeat("'[[]',", 100)+"]\n", 200)
	s.imported("", "# "+strings.Repeat("x", 16<<20), 413)
	if a := s.send("POST", "api/v1/import", "x", header("Content-Type", "text/plain")); a.status != 415 || !strings.Contains(string(a.body), "the body must be application/json or application/toml") {
		t.Errorf("a text: status %d: %s", a.status, a.body)
	}
	if list := s.items("projects"); len(list) != 1 {
		t.Errorf("a part of a document was imported: %d projects", len(list))
	}
	// The form.
	if a := s.post("settings", url.Values{"do": {"import"}, "document": {`{"version": 3}`}}); a.status != 422 || !strings.Contains(string(a.body), "version: use an object") {
		t.Errorf("a wrong document: status %d", a.status)
	}
	if a := s.post("settings", url.Values{"do": {"import"}, "document": {"version = 2\n[[projects]]\nname = 'By form'\ntargets = ['https://example.com/']\n"}}); a.status != 303 {
		t.Errorf("status %d: %s", a.status, a.body)
	}
	if page := string(s.send("GET", "settings", nil).body); !strings.Contains(page, "1 project added, 0 changed, 0 as they were.") || len(s.items("projects")) != 2 {
		t.Error("the page does not say what was imported")
	}
}

// The commands work beside a server.
func TestExchangeCommands(t *testing.T) {
	data := t.TempDir()
	s := open(t, data)
	s.create(object{"name": "Docs", "targets": []string{"https://example.com/"}})
	text := manage(t, data, 0, "export", "--format", "toml")
	if text != s.exported("format=toml") {
		t.Errorf("the command exports\n%s", text)
	}
	file := filepath.Join(t.TempDir(), "projects.toml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "Docs", "Guides")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := manage(t, data, 0, "import", file, "--try"); got != "added\tGuides\n" || len(s.items("projects")) != 1 {
		t.Errorf("a try says %q", got)
	}
	if got := manage(t, data, 0, "import", file); got != "added\tGuides\n" || len(s.items("projects")) != 2 {
		t.Errorf("it says %q", got)
	}
	if got := s.audited("action=import"); len(got) != 1 || got[0].Who != "command" {
		t.Errorf("the audit log has %v", got)
	}
	if got := fmt.Sprint(manage(t, data, 2, "import", filepath.Join(data, "missing"))); strings.Contains(got, "added") {
		t.Errorf("a missing file: %s", got)
	}
}

// TestImportIsWhole lets the last of three projects fail when the others are already stored.
func TestImportIsWhole(t *testing.T) {
	data := t.TempDir()
	s := open(t, data)
	first := s.create(object{"name": "A", "targets": []string{"https://example.com/"}, "schedule": "0 0 1 1 *"})
	before := s.exported("")
	document := `{"version": 2, "projects": [
		{"name": "A", "schedule": "@hourly", "tags": ["new"], "marks": [{"url": "https://example.com/a", "code": "http-404", "as": "known", "reason": "moves"}], "views": [{"name": "mine", "query": "verdict=broken"}]},
		{"name": "B", "targets": ["https://example.com/"], "schedule": "@hourly"},
		{"name": "C", "targets": ["https://example.com/"], "schedule": "@hourly", "views": [{"name": "late", "query": "verdict=broken"}]}]}`
	db, err := sql.Open("sqlite", filepath.Join(data, "serve.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA busy_timeout = 10000; CREATE TRIGGER late BEFORE INSERT ON view WHEN NEW.name = 'late' BEGIN SELECT RAISE(ABORT, 'no room'); END"); err != nil {
		t.Fatal(err)
	}
	untouched := func(how string) {
		t.Helper()
		if got := s.exported(""); got != before {
			t.Errorf("%s: a part of the document was imported:\n%s\nbefore\n%s", how, got, before)
		}
		var got object
		if s.call("GET", "projects/"+first, nil, 200, &got); got["version"] != 1.0 || !strings.Contains(got["next_run"].(string), "-01-01T") {
			t.Errorf("%s: the project is version %v and runs at %v", how, got["version"], got["next_run"])
		}
		if got := s.audited("action=import"); len(got) != 0 {
			t.Errorf("%s: the audit log has %v", how, got)
		}
	}
	s.imported("", document, 500)
	s.eventually("the log says what failed", func() bool {
		log := s.log.String()
		return strings.Contains(log, `store the project "C": its view "late": `) && strings.Contains(log, "no room")
	})
	untouched("the API")
	file := filepath.Join(t.TempDir(), "projects.json")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, status := orbweaver(t, "serve", "import", file, "--data", data)
	if want := "import " + file + ": nothing was changed: store the project \"C\": its view \"late\": "; status != 2 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "no room") {
		t.Errorf("the command: status %d: %s, want %s", status, stderr, want)
	}
	untouched("the command")
	if _, err := db.Exec("DROP TRIGGER late"); err != nil {
		t.Fatal(err)
	}
	if got := string(s.imported("", document, 200).body); !strings.Contains(got, `"added":["B","C"]`) || !strings.Contains(got, `"changed":["A"]`) {
		t.Errorf("when there is room: %s", got)
	}
}

// A person reads the errors of the command, not their places in the document alone.
func TestImportErrors(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "projects.json")
	for _, row := range []struct{ document, want string }{
		{`{"version": 2, "projects": [{"name": "A", "targets": ["https://example.com/"]}, {"name": "B", "color": "red"}]}`,
			"import " + file + ": nothing was changed: 2 faults:\n  projects.1.color: unknown member \"color\" (project \"B\")\n  projects.1.targets: it is missing (project \"B\")\n"},
		{`{"version": 1}`, "import " + file + ": nothing was changed: 1 fault:\n  version: use an object with the version 2"},
		{`{"version": 2`, "import " + file + ": nothing was changed: the document is not well-formed: unexpected EOF"},
		{`version = `, "import " + file + ": nothing was changed: the document is not well-formed TOML: "},
		{"#" + strings.Repeat("x", 16<<20), "read " + file + ": it is larger than 16 MiB\n"},
	} {
		if err := os.WriteFile(file, []byte(row.document), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, status := orbweaver(t, "serve", "import", file, "--data", data)
		if status != 2 || stdout != "" || !strings.Contains(strings.ReplaceAll(stderr, "orbweaver: ", ""), row.want) {
			t.Errorf("%.40s: status %d\n%s\nwant\n%s", row.document, status, stderr, row.want)
		}
	}
	if _, stderr, _ := orbweaver(t, "serve", "import", dir, "--data", data); !strings.Contains(stderr, "read "+dir+": is a directory") {
		t.Errorf("a directory: %s", stderr)
	}
}
