package fix_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Turn what a run has found into a patch.
func ExampleMake() {
	dir, err := os.MkdirTemp("", "docs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	page := []byte("See [the guide](https://example.com/old).\n")
	if err := os.WriteFile(filepath.Join(dir, "index.md"), page, 0o600); err != nil {
		log.Fatal(err)
	}
	plan, err := fix.Make(dir, dir, []*result.Result{{
		URL:      "https://example.com/old",
		Verdict:  check.OK,
		Code:     check.CodeOK,
		Warnings: []check.Warning{{Code: check.CodeRedirectPermanent, Proposal: "https://example.com/new"}},
		References: []result.Reference{
			{Page: "index.md", Line: 1, Column: 17, Raw: "https://example.com/old", Element: "a", Attribute: "href"},
		},
	}}, fix.Certain, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := plan.WritePatch(os.Stdout); err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Edits(), "edit")
	// Output:
	// diff --git a/index.md b/index.md
	// --- a/index.md
	// +++ b/index.md
	// @@ -1,1 +1,1 @@
	// -See [the guide](https://example.com/old).
	// +See [the guide](https://example.com/new).
	// 1 edit
}
