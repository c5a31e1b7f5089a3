package helper

// Wait releases what the system keeps about the program, after Kill.
func (g Group) Wait() {
	if g.cmd != nil {
		_ = g.cmd.Wait() // how it ended is of no interest
	}
}
