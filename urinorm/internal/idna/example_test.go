package idna_test

import (
	"fmt"

	"github.com/orbweaver/orbweaver/urinorm/internal/idna"
)

func ExampleAppendASCII() {
	domain, ok := idna.AppendASCII(nil, "Bücher.example")
	fmt.Printf("%s %v\n", domain, ok)
	// Output: xn--bcher-kva.example true
}

func ExampleToUnicode() {
	fmt.Println(idna.ToUnicode("xn--bcher-kva.example"))
	// Output: bücher.example
}
