// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac

import (
	"fmt"
	"slices"

	"github.com/unimac/unimac/internal/proof/engine"
	"github.com/unimac/unimac/internal/proof/machine"
	"github.com/unimac/unimac/internal/proof/spec"
	"github.com/unimac/unimac/internal/proof/term"
)

// sumLong stores the tag of any message. All chunks but the last, of 1 to 1024 bytes, go through a loop, in which
// POLY-64's state is in the frame: y, and the value of the last chunk, which the next turn adds. At the loop's head, a
// chunk was added up.
func sumLong(name string, kept map[string]string) engine.Kernel {
	u, k := sum(sumAMD64, name, 64<<10, kept)
	k.Claim = "the tag of msg: L3-HASH of the NH value, or of POLY-64 of the NH values, masked with the encrypted block"
	k.Step, k.Reached = spec.NHChunk, spec.NHChunk+1
	k.Invariant = func(c *engine.Case) *engine.Claim {
		begun := slices.Repeat([]term.Term{c.Const(64, spec.Poly64Start)}, u.streams)
		for stream := range u.streams {
			begun = append(begun, u.nh(c, 0, spec.NHChunk, stream))
		}
		return u.poly.invariant(c, begun, func(stream int) term.Term { return u.nh(c, spec.NHChunk, spec.NHChunk, stream) })
	}
	for streams := 1; streams <= spec.NHStreams; streams++ {
		k.At[fmt.Sprintf("last%d", streams)] = u.stepped
		k.At[fmt.Sprintf("values%d", streams)] = u.valued
		for stream := range streams {
			k.At[fmt.Sprintf("reduced%d_%d", streams, stream)] = func(c *engine.Case, s engine.View) *engine.Claim {
				return u.reduced(c, s, stream)
			}
		}
	}
	return k
}

// stepped is the claim before the last of several chunks: y has taken all values but the one that comes, and is any
// number.
func (u *umacSum) stepped(c *engine.Case, s engine.View) *engine.Claim {
	if !c.Looped {
		return nil
	}
	a := &engine.Claim{}
	for stream := range u.streams {
		a.Any(u.poly.place(stream), unknown(c, "y", stream))
	}
	a.Where = func(s engine.View) error {
		for stream := range u.streams {
			y := c.Begun(s, u.poly.words[stream])
			if err := u.poly.stepped(c, s.At(u.poly.place(stream)), stream, y, u.poly.words[u.streams+stream], false); err != nil {
				return err
			}
		}
		return nil
	}
	return a
}

// valued is the claim that the last values are any numbers, wherever they are.
func (u *umacSum) valued(c *engine.Case, s engine.View) *engine.Claim {
	n, ok := s.Value(s.Length())
	if !ok || !c.Looped {
		machine.Fail("there is no chunk before the last")
	}
	a := &engine.Claim{Of: map[term.Term]term.Term{}, Everywhere: true}
	for stream := range u.streams {
		a.Of[unknown(c, "value", stream)] = u.nh(c, spec.NHChunk, int64(n)-spec.NHChunk, stream)
	}
	return a
}

// reduced is the claim after a stream's last step that y, which the instruction before has left, is any number.
func (u *umacSum) reduced(c *engine.Case, s engine.View, stream int) *engine.Claim {
	args := c.Fn.Code[s.PC-1].Args
	if len(args) == 0 {
		machine.Fail("the last step leaves nothing")
	}
	a := &engine.Claim{}
	y := c.Register(args[len(args)-1].Reg)
	a.Any(y, unknown(c, "y reduced", stream))
	a.Where = func(s engine.View) error {
		return u.poly.stepped(c, s.At(y), stream, unknown(c, "y", stream), unknown(c, "value", stream), true)
	}
	return a
}
