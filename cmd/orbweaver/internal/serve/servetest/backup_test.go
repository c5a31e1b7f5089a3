package servetest

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBackup backs a working server up, and starts another one on the unpacked file.
func TestBackup(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a>`})
	data, dir := t.TempDir(), t.TempDir()
	if _, stderr, status := orbweaver(t, "serve", "backup", filepath.Join(dir, "early.tar"), "--data", data); status != 2 || !strings.Contains(stderr, "no file serve.db") {
		t.Errorf("a backup of nothing: status %d, %s", status, stderr)
	}
	manage(t, data, 0, "user", "add", "ann", "--role", "admin", "--password-file", passwordFile(t, "correct horse"))
	if _, stderr, status := orbweaver(t, "serve", "backup", filepath.Join(dir, "early.tar"), "--data", data); status != 2 || !strings.Contains(stderr, "no file secret") {
		t.Errorf("a backup before the first start: status %d, %s", status, stderr)
	}
	s := open(t, data)
	project := s.create(object{"name": "Docs", "targets": []string{web.URL}, "options": object{"retries": 0, "header": []string{"X-Key: hush"}}})
	run := s.checked(project)
	finding := s.items("runs/" + run + "/findings")[0]["id"].(string)
	s.call("PUT", "projects/"+project+"/marks/"+finding, object{"as": "known", "reason": "old"}, 200, nil)
	slow := newSite(t, map[string]string{"/": `<a href="/slow">x</a>`, "/slow": "x"})
	working := s.runOf(s.create(object{"name": "Busy", "targets": []string{slow.URL}}))
	s.until(working, "running")
	file := filepath.Join(dir, "backup.tar")
	manage(t, data, 0, "backup", file)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup: %v, %v", info, err)
	}
	manage(t, data, 2, "backup", file)
	small := filepath.Join(dir, "small.tar")
	manage(t, data, 0, "backup", small, "--without-runs")
	manage(t, data, 0, "backup", file, "--force")
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("files beside the backups: %v, %v", left, err)
	}
	report := string(s.send("GET", "api/v1/runs/"+run+"/report", nil).body)
	slow.release()

	fresh := filepath.Join(t.TempDir(), "new")
	manage(t, fresh, 0, "restore", file)
	manage(t, fresh, 2, "restore", file)
	again := start(t, fresh)
	ann := again.signIn("ann", "correct horse")
	if list := again.as(ann, "GET", "projects", nil, 200); list["total"] != 2.0 {
		t.Errorf("the restored server has %v", list)
	}
	if marks := again.as(ann, "GET", "projects/"+project+"/marks", nil, 200); marks["total"] != 1.0 {
		t.Errorf("the marks are %v", marks)
	}
	if list := again.as(ann, "GET", "runs/"+run+"/findings", nil, 200); list["total"] != 1.0 {
		t.Errorf("the findings are %v", list)
	}
	again.as(ann, "GET", "runs/"+working, nil, 404)
	if got := string(wants(t, "the report", again.send("GET", "api/v1/runs/"+run+"/report", nil, ann), 200).body); got != report {
		t.Errorf("the report is\n%s\nwant\n%s", got, report)
	}
	again.as(ann, "POST", "projects/"+project+"/runs", nil, 202) // the key opens the secrets
	slim := filepath.Join(t.TempDir(), "slim")
	manage(t, slim, 0, "restore", small)
	if _, err := os.Stat(filepath.Join(slim, "runs")); !os.IsNotExist(err) {
		t.Errorf("a backup without runs has runs: %v", err)
	}
	if list := start(t, slim); list.as(list.signIn("ann", "correct horse"), "GET", "projects/"+project+"/runs", nil, 200)["total"] != 1.0 {
		t.Error("a backup without runs has lost the history")
	}
}

// TestBackupUnderLoad backs up while runs go on and projects are added and changed.
func TestBackupUnderLoad(t *testing.T) {
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a>`})
	data, dir, dest := t.TempDir(), t.TempDir(), ""
	s := open(t, data)
	first := s.create(object{"name": "First", "targets": []string{web.URL}, "options": object{"retries": 0}})
	stop, ended := make(chan struct{}), make(chan int, 1)
	go func() {
		written := 0
		defer func() { ended <- written }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, a := range []*answer{
				s.send("POST", "api/v1/projects", object{"targets": []string{web.URL}, "options": object{"retries": 0}}),
				s.send("PATCH", "api/v1/projects/"+first, object{"name": strings.Repeat("x", 1+written%50)}),
				s.send("POST", "api/v1/projects/"+first+"/runs", nil),
			} {
				if a.status < 300 {
					written++
				}
			}
		}
	}()
	for i := range 5 {
		file := filepath.Join(dir, string(rune('a'+i)))
		manage(t, data, 0, "backup", file)
		dest = filepath.Join(t.TempDir(), "new")
		manage(t, dest, 0, "restore", file)
		soundDatabase(t, filepath.Join(dest, "serve.db"))
	}
	close(stop)
	if n := <-ended; n == 0 {
		t.Error("nothing was written meanwhile")
	}
	if again := open(t, dest); len(again.items("projects")) == 0 {
		t.Error("the restored server has no project")
	} else {
		again.checked(first)
	}
}

// TestRestoreRefuses unpacks nothing that leads out of the directory, and nothing that is not whole.
func TestRestoreRefuses(t *testing.T) {
	for what, headers := range map[string][]tar.Header{
		"a name above":     {{Name: "../evil", Typeflag: tar.TypeReg}},
		"a name in a name": {{Name: "runs/../../evil", Typeflag: tar.TypeReg}},
		"a whole path":     {{Name: "/tmp/evil", Typeflag: tar.TypeReg}},
		"a link":           {{Name: "runs", Linkname: "/tmp", Typeflag: tar.TypeSymlink}},
		"a name twice":     {{Name: "secret", Typeflag: tar.TypeReg}, {Name: "secret", Typeflag: tar.TypeReg}},
		"no database":      {{Name: "secret", Typeflag: tar.TypeReg}},
		"nothing":          {},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, h := range headers {
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file, above := filepath.Join(t.TempDir(), "x.tar"), t.TempDir()
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(above, "data")
		_, stderr, status := orbweaver(t, "serve", "restore", file, "--data", dir)
		left, err := os.ReadDir(dir)
		if status != 2 || !strings.Contains(stderr, "restore") || err != nil || len(left) != 0 {
			t.Errorf("%s: status %d, %s; left %v, %v", what, status, stderr, left, err)
		}
		if beside, err := os.ReadDir(above); err != nil || len(beside) != 1 {
			t.Errorf("%s: beside the directory are %v, %v", what, beside, err)
		}
	}
}
