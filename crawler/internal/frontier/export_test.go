package frontier

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
