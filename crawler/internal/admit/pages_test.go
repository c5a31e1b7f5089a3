package admit

import "testing"

func TestRanks(t *testing.T) {
	r := ranks{next: 1, ahead: map[int]bool{}}
	for i, n := range []int{2, 3, 1, 1, 5, 4, 2} {
		if r.take(n); r.next != []int{1, 1, 4, 4, 4, 6, 6}[i] {
			t.Fatalf("after %d of them next is %d", i+1, r.next)
		}
	}
	if len(r.ahead) != 0 {
		t.Errorf("%v are held for nothing", r.ahead)
	}
}
