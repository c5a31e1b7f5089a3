package frontier

// NewMemoryOf returns a store that keeps at most limit bytes of jobs and of results in
// memory, in chunks of the given size, and the rest in temporary files.
func NewMemoryOf(limit, chunk int) *Memory {
	m := NewMemory()
	m.jobs, m.results = newArena(limit, chunk), newArena(limit, chunk)
	return m
}

// MovedOut returns the number of chunks in temporary files.
func (m *Memory) MovedOut() int {
	out := 0
	for _, a := range []*arena{&m.jobs, &m.results} {
		for _, c := range a.chunks[:a.oldest] {
			if c == nil {
				out++
			}
		}
	}
	return out
}
