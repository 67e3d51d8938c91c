package pauses_test

import (
	"testing"
	"time"

	"carrel.internal/sdk/internal/pauses"
)

func TestPausesGrowToEightSeconds(t *testing.T) {
	for tries, most := range map[int]time.Duration{0: time.Second / 2, 1: time.Second, 4: 8 * time.Second, 5: 8 * time.Second, 1_000: 8 * time.Second} {
		for range 100 {
			if pause := pauses.Of(tries); pause < most/2 || pause > most {
				t.Errorf("after %d tries it waits %v, not %v to %v", tries, pause, most/2, most)
			}
		}
	}
}
