package extract

import (
	"strings"
	"testing"
)

// TestPDFOfManyDictionaries checks that an object keeps a limited number of dictionaries.
func TestPDFOfManyDictionaries(t *testing.T) {
	annotations := strings.Repeat("<</A<</S/URI/URI(h:a)>>>>", maxPDFNested)
	body := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]>>endobj 3 0 obj<</Type/Page/Annots 4 0 R>>endobj\n4 0 obj[" +
		annotations + "]endobj trailer<</Root 1 0 R>>\n%%EOF\n"
	doc := Extract(Input{Name: "a.pdf", Body: []byte(body)})
	if faults := strings.Join(doc.Faults, "; "); !strings.Contains(faults, "more than 100000 arrays and dictionaries") || len(doc.Faults) != 1 {
		t.Errorf("faults %q", doc.Faults)
	}
	if want := maxPDFNested/2 - 1; len(doc.Links) != want {
		t.Errorf("%d links, want %d", len(doc.Links), want)
	}
}

// TestPackedLinks checks that a PDF file and an archive have a limited number of links.
func TestPackedLinks(t *testing.T) {
	const n = maxPackedLinks + 10
	pdf := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]>>endobj 3 0 obj<</Type/Page/Annots[" +
		strings.Repeat("4 0 R ", n) + "]>>endobj\n4 0 obj<</A<</S/URI/URI(h:a)>>>>endobj trailer<</Root 1 0 R>>\n%%EOF\n"
	for _, in := range []Input{
		{Name: "a.pdf", Body: []byte(pdf)},
		{Name: "a.odt", Body: archive(t, 0, "content.xml", relationships+strings.Repeat(`<a xlink:href="h:a"/>`, n)+"</x>")},
	} {
		if doc := Extract(in); len(doc.Links) != maxPackedLinks || !strings.Contains(strings.Join(doc.Faults, ";"), "read links: more than 100000") {
			t.Errorf("%s: %d links, faults %q", in.Name, len(doc.Links), doc.Faults)
		}
	}
}
