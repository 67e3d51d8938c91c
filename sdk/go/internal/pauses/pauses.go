// Package pauses says how long to wait before a call is tried again.
package pauses

import (
	"math/rand/v2"
	"time"
)

var (
	// First is the longest wait before the second try; it doubles with each one. Tests shorten it.
	First = 500 * time.Millisecond
	// Longest is where it stops to grow.
	Longest = 8 * time.Second
)

// Of is the wait after so many tries, with jitter.
func Of(tries int) time.Duration {
	whole := min(Longest, First<<min(tries, 10))
	return whole/2 + rand.N(whole/2)
}
