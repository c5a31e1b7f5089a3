package auth

import "fmt"

// Role is what somebody may do. A greater role may do all that a lesser one may.
type Role int

// The roles, from the least.
const (
	Viewer Role = iota + 1 // reads
	Editor                 // also runs, rechecks and marks
	Admin                  // also changes projects and settings
)

var roleNames = map[Role]string{Viewer: "viewer", Editor: "editor", Admin: "admin"}

// String returns the name of a role, as in flags and lists.
func (r Role) String() string { return roleNames[r] }

// ParseRole returns the role with a name.
func ParseRole(name string) (Role, error) {
	for role, known := range roleNames {
		if name == known {
			return role, nil
		}
	}
	return 0, fmt.Errorf("unknown role %q: use viewer, editor or admin", name)
}
