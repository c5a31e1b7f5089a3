package frontier

import (
	"math/rand/v2"
	"time"
)

// MaxBackoff is the longest wait before a retry.
const MaxBackoff = time.Minute

// Backoff returns how long to wait after a number of retries. The wait doubles with each
// retry up to longest, and is random by half of it up or down.
func Backoff(mean time.Duration, retries int, longest time.Duration) time.Duration {
	wait := min(mean<<min(retries, 10), longest)
	return wait/2 + rand.N(wait+1)
}
