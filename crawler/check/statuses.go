package check

import "fmt"

// Statuses is a set of HTTP statuses. The zero value and nil are empty.
type Statuses struct{ bits [highestStatus/64 + 1]uint64 }

// Add adds all statuses in a range, including both ends.
func (s *Statuses) Add(from, to int) error {
	if from < lowestStatus || to > highestStatus || from > to {
		return fmt.Errorf("accept %d-%d: a range of statuses must be within %d to %d, the lower status first", from, to, lowestStatus, highestStatus)
	}
	for status := from; status <= to; status++ {
		s.bits[status/64] |= 1 << (status % 64)
	}
	return nil
}

// Has reports whether a status is in the set.
func (s *Statuses) Has(status int) bool {
	return s != nil && status >= lowestStatus && status <= highestStatus && s.bits[status/64]&(1<<(status%64)) != 0
}
