package disk_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Answer for a URL from a directory, as the host of the site would.
func ExampleSite_Fetch() {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("welcome"), 0o600); err != nil {
		log.Fatal(err)
	}
	base, _, _ := urinorm.ParseWeb("https://example.com/docs/")
	site, err := disk.OpenSite(disk.SiteConfig{Dir: dir, Base: base})
	if err != nil {
		log.Fatal(err)
	}
	defer site.Close()
	u, _, _ := urinorm.ParseWeb("https://example.com/docs/")
	resp, err := site.Fetch(context.Background(), &fetch.Request{URL: u, Need: fetch.Content})
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.ContentType, string(text))
	// Output: text/html welcome
}
