// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"github.com/unimac/unimac/internal/proof/machine"
)

// MayOverlap says that callers may give a buffer that lies over others, in any way. The others keep
// their contents until the first store to it, and may not be read after that.
func (c *Case) MayOverlap(dst *machine.Object, others ...*machine.Object) {
	if c.Over == nil {
		c.Over = map[*machine.Object][]*machine.Object{}
	}
	for _, o := range others {
		c.Over[o] = append(c.Over[o], dst)
	}
}

// A Watch is told of an access, before it takes place.
type Watch func(m Memory, o *machine.Object, offset, size int64, store bool)

// watch returns what is told of every access: the kernel's own Watch, and MayOverlap's.
func (r *run) watch() machine.Watch {
	var own Watch
	if r.Kernel.Watch != nil {
		own = r.Kernel.Watch(&r.Case)
	}
	if len(r.Over) == 0 && own == nil {
		return nil
	}
	return func(m *machine.Memory, o *machine.Object, offset, size int64, store bool) {
		for _, dst := range r.Over[o] {
			if m.Extent(dst) > 0 {
				machine.Fail("accesses %s after a store to %s, which may lie over it", o.Name, dst.Name)
			}
		}
		if own != nil {
			own(Memory{m}, o, offset, size, store)
		}
	}
}
