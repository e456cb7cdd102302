package edge

import "time"

// Size is how many counters the limits hold in memory.
func (l *Limits) Size() int { return l.local.size() }

// PauseFor sets how long a Redis that failed is left alone.
func (l *Limits) PauseFor(d time.Duration) { l.shared.pause = d }
