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

// watch checks an access to memory. The proof treats the buffers Object and In as
// separate. Under these conditions, it also holds if they overlap:
//   - If both start at one address, each byte must be read before it is overwritten.
//   - If Object starts first, each byte of In must be stored once, before it is read.
//   - If In starts first, each byte of Object must be read before it is overwritten.
//   - If their distance is arbitrary, Object must not be accessed after a store to In.
func (l *Lie) watch(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
	if l.anywhere {
		refuse(o == l.Object && m.Extent(l.In) > 0, "accesses %s after a store to %s, which may overlap it", o.Name, l.In.Name)
		return
	}
	for at := offset; at < offset+size; at++ {
		_, stored := m.Stored(l.In, at)
		if stored && o == l.Object && l.before == 0 {
			machine.Fail("reads %s[%d] after %s[%d] is stored", o.Name, at, l.In.Name, at)
		}
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
	refuse(l.after > 0 && m.Extent(l.In) > offset+l.after, "reads %s[%d] after %s[%d] is stored", o.Name, offset, l.In.Name, m.Extent(l.In)-1)
}
