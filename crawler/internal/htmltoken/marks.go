package htmltoken

// Marks are offsets in a text of less than 2 GiB, in ascending order.
type Marks struct {
	Wanted bool // asks for them; to be set after Reset
	List   []int32
}

func (m *Marks) add(offset int) {
	if m.Wanted {
		m.List = append(m.List, int32(offset))
	}
}
