package frontier

// NewMemoryOf returns a store that holds so many bytes of either kind in memory, in
// chunks of a size, and the rest in its temporary files.
func NewMemoryOf(limit, chunk int) *Memory {
	m := NewMemory()
	m.jobs, m.ends = newArena(limit, chunk), newArena(limit, chunk)
	return m
}

// MovedOut is how many chunks are no longer in memory.
func (m *Memory) MovedOut() int {
	out := 0
	for _, a := range []*arena{&m.jobs, &m.ends} {
		for _, c := range a.chunks[:a.oldest] {
			if c == nil {
				out++
			}
		}
	}
	return out
}
