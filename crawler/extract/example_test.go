package extract_test

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// List the links and the anchors of a document with their places.
func ExampleExtract() {
	doc := extract.Extract(extract.Input{
		Name: "guide.md",
		Body: []byte("# Setup\n\nRead [the manual](manual.html#start \"all of it\").\n"),
	})
	for _, l := range doc.Links {
		fmt.Printf("%d:%d %s %s %q\n", l.Line, l.Column, l.Element, l.Ref, l.Text)
	}
	fmt.Println(doc.Format, doc.Title)
	// Output:
	// 3:19 a manual.html#start "the manual"
	// markdown Setup
}
