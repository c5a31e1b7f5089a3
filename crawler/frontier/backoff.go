package frontier

import (
	"math/rand/v2"
	"time"
)

// MaxBackoff bounds the wait before a retry.
const MaxBackoff = time.Minute

// Backoff is the wait before the next try after so many retries: doubled for each,
// half of it left to chance.
func Backoff(mean time.Duration, retries int, most time.Duration) time.Duration {
	wait := min(mean<<min(retries, 10), most)
	return wait/2 + rand.N(wait+1)
}
