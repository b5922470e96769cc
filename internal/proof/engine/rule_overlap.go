// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"github.com/unimac/unimac/internal/proof/machine"
)

// watch is called before each access to memory.
func (r *Session) watch(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
	for i := range r.Lies {
		r.Lies[i].watch(m, o, offset, size, store)
	}
}

// watch checks that overlapping buffers behave like the separate buffers of the proof.
func (l *Lie) watch(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
	if l.anywhere {
		refuse(o == l.Object && m.Extent(l.In) > 0, "accesses %s after a store to %s, which may overlap it", o.Name, l.In.Name)
		return
	}
	for at := offset; at < offset+size; at++ {
		_, stored := m.Stored(l.In, at)
		// If both start at one address, reads come first.
		if stored && o == l.Object && l.before == 0 {
			machine.Fail("reads %s[%d] after %s[%d] is stored", o.Name, at, l.In.Name, at)
		}
		// If Object starts first, it is read after the final store.
		if stored && o == l.In && store && l.before > 0 {
			machine.Fail("stores %s[%d] twice", o.Name, at)
		}
	}
	if o != l.Object || l.before == 0 {
		return
	}
	for at := range offset + size - l.before {
		if _, ok := m.Stored(l.In, at); !ok {
			machine.Fail("reads %s[%d] before %s[%d] is stored", o.Name, offset+size-1, l.In.Name, at)
		}
	}
	// If In starts first, reads come first.
	refuse(l.after > 0 && m.Extent(l.In) > offset+l.after, "reads %s[%d] after %s[%d] is stored", o.Name, offset, l.In.Name, m.Extent(l.In)-1)
}
