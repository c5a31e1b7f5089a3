package extract

import "testing"

func TestHoldsPlaceholder(t *testing.T) {
	for ref, want := range map[string]bool{
		"{{ url }}": true, "https://example.com/{id}/x": true, "${BASE}/a": true, "a/<name>.html": true, "%= url %": true,
		"$BASE": true, "$BASE_URL/a.html": true, "$_X#y": true, "$V2?q": true,
		"": false, "$": false, "$a.md": false, "$5": false, "$Inner.html": false, "$A.html": false, "a$B": false, "{a": false, "a>b<c": false, "%20": false,
	} {
		if got := holdsPlaceholder([]byte(ref)); got != want {
			t.Errorf("holdsPlaceholder(%q) = %v", ref, got)
		}
	}
}
