package frontier

// table maps fingerprints to IDs: open addressing in one pointer-free slice,
// linear probing, at most three quarters full. Twelve bytes a slot. The zero
// value is ready to use.
type table struct {
	keys   []uint64
	values []uint32 // 0 is an empty slot
	count  int
}

// find returns the value of key, or 0 and the slot where it belongs.
func (t *table) find(key uint64) (value uint32, slot int) {
	if len(t.keys) == 0 {
		return 0, -1
	}
	mask := len(t.keys) - 1
	i := int(key) & mask
	for t.values[i] != 0 {
		if t.keys[i] == key {
			return t.values[i], i
		}
		i = (i + 1) & mask
	}
	return 0, i
}

// insert puts value under a key that find said is absent.
func (t *table) insert(slot int, key uint64, value uint32) {
	if slot < 0 || (t.count+1)*4 > len(t.keys)*3 {
		t.grow()
		_, slot = t.find(key)
	}
	t.keys[slot], t.values[slot] = key, value
	t.count++
}

func (t *table) grow() {
	old := *t
	n := max(64, 2*len(old.keys))
	t.keys, t.values = make([]uint64, n), make([]uint32, n)
	for i, v := range old.values {
		if v != 0 {
			_, slot := t.find(old.keys[i])
			t.keys[slot], t.values[slot] = old.keys[i], v
		}
	}
}
