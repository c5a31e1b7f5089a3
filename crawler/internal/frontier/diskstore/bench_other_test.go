//go:build !unix

package diskstore

import "time"

func userTime() time.Duration { return 0 }
