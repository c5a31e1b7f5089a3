package main

import (
	"crypto/rand"
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/dokuwiki_site.sh
var dokuWikiSite string

// dokuWikiPages is the number of pages in each part of a dokuWiki.
const dokuWikiPages = 8

// dokuWiki is the wiki of that name behind nginx and PHP-FPM. Everybody may read its start
// page, which links to the pages page1 to page8, and these. Only its member alice may read
// members:start, to which page2 links, and members:page1 to members:page8, of which the last
// one links to the page missing, which does not exist. The addresses of pages differ in their
// queries only: /doku.php?id=page1.
type dokuWiki struct {
	URL string // without a slash at its end

	t         testing.TB
	directory string
}

// serveDokuWiki serves a wiki on a loopback port until the test ends. Without Debian's
// dokuwiki, nginx and php-fpm the test is skipped, or fails if the environment variable CI is
// true.
func serveDokuWiki(t testing.TB, password string) *dokuWiki {
	t.Helper()
	const nginx, application = "/usr/sbin/nginx", "/usr/share/dokuwiki"
	php, _ := filepath.Glob("/usr/sbin/php-fpm[0-9]*")
	for program, paths := range map[string][]string{"nginx": {nginx}, "php-fpm": php, "dokuwiki": {application + "/doku.php"}} {
		if len(paths) > 0 {
			if _, err := os.Stat(paths[0]); err == nil {
				continue
			}
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("the package %s is needed", program)
		}
		t.Skipf("%s is not installed", program)
	}
	w := &dokuWiki{t: t, directory: t.TempDir()}
	w.writePages()
	web, webAddress := listen(t)
	scripts, scriptsAddress := listen(t)
	w.URL = "http://" + webAddress
	w.writeConfiguration(password)
	w.writeServers(application, webAddress, scriptsAddress)

	cmd := exec.Command("/bin/sh", "-c", dokuWikiSite, "dokuwiki", nginx, php[len(php)-1], w.directory, scriptsAddress)
	cmd.ExtraFiles = []*os.File{web, scripts} // 3 and 4
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		err := cmd.Wait()
		if err != nil || t.Failed() {
			t.Errorf("%v: %s%s%s", err, &stderr, w.read("nginx.log"), w.read("php.log"))
		}
	})
	web.Close()
	scripts.Close()
	return w
}

// listen returns a socket that listens on a free port of the loopback interface.
func listen(t testing.TB) (*os.File, string) {
	t.Helper()
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file, err := listener.File()
	if err != nil {
		t.Fatal(err)
	}
	return file, listener.Addr().String()
}

// writePages writes the texts of the wiki.
func (w *dokuWiki) writePages() {
	for _, directory := range []string{"", "members/"} {
		namespace := strings.ReplaceAll(directory, "/", ":")
		var links strings.Builder
		for i := 1; i <= dokuWikiPages; i++ {
			fmt.Fprintf(&links, "  * [[:%spage%d]]\n", namespace, i)
			next := i%dokuWikiPages + 1
			text := fmt.Sprintf("====== Page %d ======\n\nSee [[:%spage%d#page_%d|the next one]] and [[:start]].\n", i, namespace, next, next)
			switch {
			case namespace == "" && i == 2:
				text += "\nThere is [[members:start|more]] for members.\n"
			case namespace != "" && i == dokuWikiPages:
				text += "\nThis [[:missing|page]] does not exist.\n"
			}
			w.write(fmt.Sprintf("data/pages/%spage%d.txt", directory, i), text)
		}
		w.write("data/pages/"+directory+"start.txt", "====== Contents ======\n\n"+links.String())
	}
	for _, empty := range []string{"attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta", "tmp"} {
		w.write("data/"+empty+"/_dummy", "")
	}
	w.endSessions()
}

// writeConfiguration writes the settings of the wiki. Its pages must not depend on what was
// requested before, and it must not ask other hosts for news.
func (w *dokuWiki) writeConfiguration(password string) {
	w.setPassword(password)
	w.write("conf/acl.auth.php", "*\t@ALL\t1\n*\t@user\t16\nmembers:*\t@ALL\t0\nmembers:*\t@user\t16\n")
	w.write("conf/local.php", `<?php
$conf['title'] = 'Wiki';
$conf['useacl'] = 1;
$conf['superuser'] = '@admin';
$conf['manager'] = '@user';
$conf['savedir'] = '`+w.directory+`/data';
$conf['send404'] = 1;
$conf['breadcrumbs'] = 0;
$conf['updatecheck'] = 0;
`)
	w.write("conf/plugins.local.php", "<?php\n$plugins['testing'] = 0;\n")
	w.write("prepend.php", "<?php define('DOKU_CONF', '"+w.directory+"/conf/');\n")
}

// writeServers writes the settings of nginx and PHP-FPM.
func (w *dokuWiki) writeServers(application, web, scripts string) {
	asRoot, poolAsRoot := "", ""
	if os.Geteuid() == 0 {
		asRoot, poolAsRoot = "user root;", "user = root\ngroup = root"
	}
	w.write("nginx.conf", asRoot+`
daemon off;
pid nginx.pid;
worker_processes 1; # so that the log has a request before the next one is answered
events {}
http {
	include /etc/nginx/mime.types;
	client_body_temp_path body;
	fastcgi_temp_path fastcgi;
	proxy_temp_path proxy;
	scgi_temp_path scgi;
	uwsgi_temp_path uwsgi;
	log_format requests "$request_method $request_uri $status";
	access_log requests.log requests;
	server {
		listen `+web+`;
		root `+application+`;
		index doku.php;
		location = /requests {
			access_log off;
			alias `+w.directory+`/requests.log;
		}
		location ~ ^/(bin|conf|data|inc|vendor)/ { return 404; }
		location ~ \.php$ {
			fastcgi_pass `+scripts+`;
			fastcgi_param QUERY_STRING $query_string;
			fastcgi_param REQUEST_METHOD $request_method;
			fastcgi_param CONTENT_TYPE $content_type;
			fastcgi_param CONTENT_LENGTH $content_length;
			fastcgi_param SCRIPT_NAME $fastcgi_script_name;
			fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
			fastcgi_param DOCUMENT_ROOT $document_root;
			fastcgi_param REQUEST_URI $request_uri;
			fastcgi_param SERVER_PROTOCOL $server_protocol;
			fastcgi_param REMOTE_ADDR $remote_addr;
			fastcgi_param SERVER_NAME $server_name;
			fastcgi_param SERVER_PORT $server_port;
		}
	}
}
`)
	w.write("requests.log", "")
	w.write("php.conf", `[global]
error_log = `+w.directory+`/php.log
[wiki]
`+poolAsRoot+`
listen = `+scripts+`
pm = static
pm.max_children = 4
php_admin_value[auto_prepend_file] = `+w.directory+`/prepend.php
php_admin_value[session.save_path] = `+w.directory+`/sessions
`)
	w.write("sessions/_dummy", "")
}

func (w *dokuWiki) write(name, text string) {
	w.t.Helper()
	name = filepath.Join(w.directory, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		w.t.Error(err)
	} else if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		w.t.Error(err)
	}
}

// read returns the content of a file, or the error.
func (w *dokuWiki) read(name string) string {
	text, err := os.ReadFile(filepath.Join(w.directory, name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// setPassword changes the password of alice.
func (w *dokuWiki) setPassword(password string) {
	hash := sha1.Sum([]byte(password))
	w.write("conf/users.auth.php", "alice:"+hex.EncodeToString(hash[:])+":Alice:alice@example.com:user\n")
}

// endSessions ends all sessions: it changes the key of the cookies by which the wiki would
// renew them, and then removes them. In the other order, a request between the two renews one.
func (w *dokuWiki) endSessions() {
	const key = "data/meta/_htcookiesalt2"
	w.write(key+".new", rand.Text())
	if err := os.Rename(filepath.Join(w.directory, key+".new"), filepath.Join(w.directory, key)); err != nil {
		w.t.Error(err)
	}
	sessions, err := filepath.Glob(filepath.Join(w.directory, "sessions", "sess_*"))
	if err != nil {
		w.t.Error(err)
	}
	for _, name := range sessions {
		os.Remove(name)
	}
}

// requests returns the requests that nginx has answered, as "GET /target 200".
func (w *dokuWiki) requests() []string {
	w.t.Helper()
	resp, err := http.Get(w.URL + "/requests")
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
