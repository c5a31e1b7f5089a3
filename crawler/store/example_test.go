package store_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/orbweaver/orbweaver/crawler/store"
)

// Keep a crawl in a file, with what the caller needs to resume it.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "crawl.sqlite")
	file, err := store.Create(name, store.FileOptions{Values: map[string][]byte{"command": []byte("check docs")}})
	if err != nil {
		log.Fatal(err)
	}
	// crawler.Run uses file.Store() as Config.Keep.Store.
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	if file, err = store.Open(name); err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	command, err := file.Value("command")
	fmt.Printf("%s %v\n", command, err)
	// Output: check docs <nil>
}
