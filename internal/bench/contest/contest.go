// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package contest sets this module's algorithms and those of others to the same
// work, each algorithm in a file of its own. Before anything is measured, the
// entrants' answers are compared.
package contest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/unimac/unimac/internal/bench/peer/process"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
	"github.com/unimac/unimac/internal/measure"
)

// A Contest is one kind of work.
type Contest struct {
	Name  string // as benchmarks name it: "umac-64"
	Title string // as charts name it: "UMAC-64"
	Sizes []int  // bytes of a message

	// Bytes returns how many bytes are worked on; nil stands for one message.
	Bytes func(size int) int

	// RatioTo names the entrant whose speed the others' are shown as multiples of; "" for
	// speeds as they are.
	RatioTo string

	// Turn is how long to work at once, at least, for the figures to mean anything.
	Turn time.Duration

	// Entrants begin with the one of ours that matters.
	Entrants []Entrant
}

// An Entrant is one who does the work.
type Entrant struct {
	Name  string // as benchmarks name it, without spaces and slashes
	Label string // as charts name it
	Ours  bool

	// InUse says that this is the implementation that the entrant "unimac" uses.
	InUse bool

	// Algorithm tells those apart whose answers differ though they do the same work.
	Algorithm string

	// Other says that the answer is another one, because it is another kind of algorithm.
	Other bool

	// Level names the level that a peer is restricted to; "" for a peer that uses all instructions of the processor.
	Level string

	Start func(size int) (*Work, error)
}

// ErrAbsent says that an entrant cannot run on this machine.
var ErrAbsent = process.ErrAbsent

// Work is a message that an entrant is ready to work on.
type Work struct {
	// Loop does the work n times and returns how long that took.
	Loop measure.Loop

	// Answer is what the last of them gave.
	Answer []byte

	stop func() // may be nil
}

// Stop gives back what the work holds.
func (w *Work) Stop() {
	if w.stop != nil {
		w.stop()
	}
}

// work returns the Work of a loop that is measured from here.
func work(answer []byte, loop func(n int)) *Work {
	return &Work{Answer: answer, Loop: measure.Timed(loop)}
}

// A starter gets a message of a size ready.
type starter = func(size int) (*Work, error)

// must panics: what was measured until now would mean nothing.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// processWork returns what makes the Work of a peer that is a program of its own.
func processWork(answer []byte) func(loop measure.Loop, stop func(), err error) (*Work, error) {
	return func(loop measure.Loop, stop func(), err error) (*Work, error) {
		return &Work{Loop: loop, Answer: answer, stop: stop}, err
	}
}

// All returns every contest.
func All() []Contest {
	return slices.Concat(
		umacs(),
		[]Contest{poly1305s(), digests(), multimixers(), blake2bs(1), blake2bs(8), chacha20s(), multimacs(1), multimacs(8)},
		chachaPolys(),
		sivs(),
		aegisContests(),
		[]Contest{everySize(), chachaBLAKE2b(false), chachaBLAKE2b(true), streams(false), streams(true), sshs()},
	)
}

// sealing is a contest of AEADs, which seal or open.
func sealing(name, title string, open bool, sizes []int, entrants ...Entrant) Contest {
	task := "Seal"
	if open {
		task = "Open"
	}
	return Contest{Name: name + "-" + strings.ToLower(task), Title: title + ", " + task, Sizes: sizes, Entrants: entrants}
}

// Worked returns how many bytes are worked on where messages have size bytes.
func (c *Contest) Worked(size int) int {
	if c.Bytes == nil {
		return size
	}
	return c.Bytes(size)
}

// Start gets entrants ready for messages of size bytes, lets each work once, and
// returns an error if their answers are not the same.
func Start(entrants []*Entrant, size int) (works []*Work, err error) {
	defer func() {
		if err != nil {
			StopAll(works)
			works = nil
		}
	}()
	first := map[string]*Entrant{}
	want := map[string][]byte{}
	for _, e := range entrants {
		w, err := e.Start(size)
		if err != nil {
			return works, fmt.Errorf("%s: %w", e.Name, err)
		}
		works = append(works, w)
		w.Loop(1)
		switch {
		case e.Other:
		case first[e.Algorithm] == nil:
			first[e.Algorithm], want[e.Algorithm] = e, bytes.Clone(w.Answer)
		case !bytes.Equal(w.Answer, want[e.Algorithm]):
			return works, fmt.Errorf("%s and %s do not agree about a message of %d bytes", first[e.Algorithm].Name, e.Name, size)
		}
	}
	return works, nil
}

// StopAll stops works.
func StopAll(works []*Work) {
	for _, w := range works {
		w.Stop()
	}
}

// A level is what a processor may have.
type level struct {
	name, label string
	cpu.Level
}

// levels are those below the best, in order. A package takes the best of its own that is included.
var levels = []level{{"avx512", "AVX-512 without IFMA", cpu.AVX512AES}, {"avx2", "AVX2", cpu.AVX2AES}, {"sse41", "SSE4.1", cpu.SSE41AES}, {"amd64", "scalar", cpu.AMD64}, {"neon", "NEON", cpu.NEONAES}, {dispatch.Generic, "plain Go", cpu.Generic}}

// ours returns this module's entrants: "unimac", which runs as it does in any
// program, and one for each level at which the packages that do the work differ, or for those
// that are named.
func ours(pkgs []string, start starter, names ...string) []Entrant {
	entrants := []Entrant{{Name: "unimac", Label: "unimac", Ours: true, Start: start}}
	for i, l := range levels {
		chosen := choices(pkgs, l)
		if names != nil && !slices.Contains(names, l.name) || slices.ContainsFunc(levels[i+1:], func(lower level) bool { return slices.Equal(chosen, choices(pkgs, lower)) }) {
			continue
		}
		inUse := true
		for k, pkg := range pkgs {
			inUse = inUse && dispatch.InUse(pkg) == chosen[k]
		}
		entrants = append(entrants, Entrant{
			Name: "unimac-" + l.name, Label: "unimac, " + l.label, Ours: true, InUse: inUse,
			Start: func(size int) (*Work, error) {
				defer selected(pkgs, chosen)()
				w, err := start(size)
				if err != nil {
					return nil, err
				}
				loop := w.Loop
				w.Loop = func(n int) time.Duration {
					defer selected(pkgs, chosen)()
					return loop(n)
				}
				return w, nil
			},
		})
	}
	return entrants
}

// choices names the best level of each package that a level includes.
func choices(pkgs []string, l level) (names []string) {
	for _, pkg := range pkgs {
		all := dispatch.List(pkg) // the best first
		i := slices.IndexFunc(all, func(name string) bool {
			return dispatch.Available(pkg, name) && l.Includes(cpu.LevelOf(strings.ToUpper(name)))
		})
		names = append(names, all[i])
	}
	return names
}

// selected gives each package a level, and chooses its kernels as this kind of processor does, until
// the result is called.
func selected(pkgs, names []string) (reset func()) {
	for i, pkg := range pkgs {
		dispatch.SelectFor(pkg, names[i], cpu.ThisKind())
	}
	return func() {
		for _, pkg := range pkgs {
			dispatch.Reset(pkg)
		}
	}
}

// made keeps what data returned.
var made = struct {
	sync.Mutex
	texts map[string][]byte
}{texts: map[string][]byte{}}

// data returns n bytes that look random, to be read only. All entrants get the very
// same: where in memory a message lies makes a difference of its own.
func data(n int, seed byte) []byte {
	made.Lock()
	defer made.Unlock()
	name := fmt.Sprint(n, " ", seed)
	p, ok := made.texts[name]
	if !ok {
		p = make([]byte, n)
		rand.NewChaCha8([32]byte{seed}).Read(p)
		made.texts[name] = p
	}
	return p
}

// sizes returns the powers of two from one size to another.
func sizes(from, to int) (list []int) {
	for n := from; n <= to; n *= 2 {
		list = append(list, n)
	}
	return list
}
