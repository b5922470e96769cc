// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package engine

import (
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/term"
)

// NewCase returns a case that belongs to no run: with it, specifications are compared with numbers.
func NewCase() *Case {
	s := term.New()
	c := &Case{Store: s, mem: machine.NewMemory(s), want: map[*machine.Object]Wanted{}}
	c.Arguments = c.mem.Add(&machine.Object{Name: "arguments"}, c.Const(64, 256))
	return c
}

// Specified returns what a kernel's Spec says of an object after n bytes, in its first variant.
func (c *Case) Specified(k *Kernel, object string, n int64) Wanted {
	c.Kernel, c.N = k, c.Const(64, uint64(n))
	if len(k.Variants) > 0 {
		c.Variant = k.Variants[0]
	}
	k.Setup(c)
	k.Spec(c, n, true)
	for o, want := range c.want {
		if o.Name == object {
			return want
		}
	}
	return nil
}
