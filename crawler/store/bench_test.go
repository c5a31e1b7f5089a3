package store

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// benchEntries is the number of entries in the file of a benchmark.
const benchEntries = 2000

func benchKeys(c *Cache) []cacheentry.Key {
	keys := make([]cacheentry.Key, benchEntries)
	for i := range keys {
		keys[i] = c.Key(urinorm.Key(fmt.Sprintf("https://example.com/%d", i)), traffic.Identity{})
	}
	return keys
}

// BenchmarkPut puts records, and writes them to the file.
func BenchmarkPut(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "cache.db"), CacheOptions{})
	keys, page := benchKeys(c), samples(noon)[3]
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Put(keys[i%benchEntries], page)
	}
	shut(b, c)
}

// BenchmarkGet gets records from a file that was closed and opened.
func BenchmarkGet(b *testing.B) {
	file := filepath.Join(b.TempDir(), "cache.db")
	c := open(b, file, CacheOptions{})
	keys, page := benchKeys(c), samples(noon)[3]
	for _, key := range keys {
		c.Put(key, page)
	}
	shut(b, c)
	c = open(b, file, CacheOptions{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if !has(c, keys[i%benchEntries]) {
			b.Fatal("an entry is gone")
		}
	}
}
