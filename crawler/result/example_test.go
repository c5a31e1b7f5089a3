package result_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// Say how far the result of a run can be relied on.
func ExampleSoundness() {
	sum := &result.Summary{Pages: 12, Links: 80, Soundness: result.Read(false, result.ByMaxTime, "")}
	fmt.Println(sum.Soundness.IsSound(), sum.Soundness.Complete(), sum.Soundness.StoppedBy)
	// Output: false false max-time
}

// byURL keeps results in the order of their URLs.
type byURL struct{ result.Kept }

func (byURL) Compare(a, b *result.Result) int { return strings.Compare(a.URL, b.URL) }

// Keep results in an order of one's own. Those that do not fit into the memory are kept in a
// temporary file.
func ExampleSorted() {
	kept := result.Sorted[*result.Result]{Order: byURL{}}
	defer kept.Close()
	for _, url := range []string{"https://example.com/b", "https://example.com/a"} {
		kept.Add(&result.Result{URL: url})
	}
	if err := kept.Each(func(r *result.Result) error {
		fmt.Println(r.URL)
		return nil
	}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// https://example.com/a
	// https://example.com/b
}
