package report

import "testing"

func TestXMLGolden(t *testing.T) {
	golden(t, "contract.xml.golden", []byte(render(t, "xml", Options{}, contractRun())))
	golden(t, "full-all.xml.golden", []byte(render(t, "xml", Options{Show: ShowAll}, fullRun())))
}

func TestXMLMatchesItsSchema(t *testing.T) {
	for name, run := range testRuns() {
		t.Run(name, func(t *testing.T) {
			xmllint(t, render(t, "xml", Options{Show: ShowAll}, run), "report.xsd")
		})
	}
}

// Every string of a run is in the document as it is, but for characters that no
// XML document may hold.
func TestXMLKeepsStrings(t *testing.T) {
	run := hostileRun()
	found := xmlStrings(t, render(t, "xml", Options{Show: ShowAll}, run))
	for _, r := range run.Results {
		r = cleanResult(r)
		for _, s := range []string{r.URL, r.Message, r.ContentType, r.Warnings[0].Message, r.Suggestions[0].Why, r.References[0].Raw, r.References[0].Page} {
			if s != "" && !found[xmlSafe(s)] {
				t.Errorf("lacks %q", s)
			}
		}
	}
}
