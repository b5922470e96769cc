// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package contest runs this module's algorithms and those of other libraries on the
// same work, and compares the results. Each algorithm has its own file.
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

	// Bytes returns the number of bytes that are processed for messages of the given
	// size. If Bytes is nil, this number is size.
	Bytes func(size int) int

	// RatioTo names the entrant with whose speed the others are compared. If it is
	// empty, speeds are absolute.
	RatioTo string

	// Turn is the shortest duration of a turn that gives meaningful figures.
	Turn time.Duration

	// Entrants lists the entrants, with this module's main entrant first.
	Entrants []Entrant
}

type Entrant struct {
	Name  string // as benchmarks name it, without spaces and slashes
	Label string // as charts name it
	Ours  bool

	// InUse reports that the entrant "unimac" uses the same implementation.
	InUse bool

	// Algorithm distinguishes entrants whose answers differ for the same work.
	Algorithm string

	// Other reports that the entrant uses another kind of algorithm.
	Other bool

	// Level names the level to which a peer is restricted. It is empty if the peer uses
	// all instructions of the processor.
	Level string

	Start func(size int) (*Work, error)
}

// ErrAbsent means that an entrant cannot run on this machine.
var ErrAbsent = process.ErrAbsent

// Work contains an entrant's prepared loop for messages of one size.
type Work struct {
	// Loop does the work n times and returns the time that it took.
	Loop measure.Loop

	// Answer contains the result of the last iteration.
	Answer []byte

	stop func() // may be nil
}

// Stop releases the resources of w.
func (w *Work) Stop() {
	if w.stop != nil {
		w.stop()
	}
}

func work(answer []byte, loop func(n int)) *Work {
	return &Work{Answer: answer, Loop: measure.Timed(loop)}
}

type starter = func(size int) (*Work, error)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// processWork returns a function that converts the results of starting a process to
// Work.
func processWork(answer []byte) func(loop measure.Loop, stop func(), err error) (*Work, error) {
	return func(loop measure.Loop, stop func(), err error) (*Work, error) {
		return &Work{Loop: loop, Answer: answer, stop: stop}, err
	}
}

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

func sealing(name, title string, open bool, sizes []int, entrants ...Entrant) Contest {
	task := "Seal"
	if open {
		task = "Open"
	}
	return Contest{Name: name + "-" + strings.ToLower(task), Title: title + ", " + task, Sizes: sizes, Entrants: entrants}
}

// Worked returns the number of bytes that are processed for messages of size bytes.
func (c *Contest) Worked(size int) int {
	if c.Bytes == nil {
		return size
	}
	return c.Bytes(size)
}

// Start prepares the entrants for messages of size bytes and runs each loop once. It
// returns an error if entrants with the same Algorithm have different answers, but
// ignores the answers of entrants with Other.
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
			return works, fmt.Errorf("%s and %s return different results for a message of %d bytes", first[e.Algorithm].Name, e.Name, size)
		}
	}
	return works, nil
}

func StopAll(works []*Work) {
	for _, w := range works {
		w.Stop()
	}
}

// A level is a set of instruction sets that kernels may use.
type level struct {
	name, label string
	cpu.Level
}

// levels lists the levels below the best, in descending order.
var levels = []level{{"avx512", "AVX-512 without IFMA", cpu.AVX512AES}, {"avx2", "AVX2", cpu.AVX2AES}, {"sse41", "SSE4.1", cpu.SSE41AES}, {"amd64", "scalar", cpu.AMD64}, {"neon", "NEON", cpu.NEONAES}, {dispatch.Generic, "plain Go", cpu.Generic}}

// ours returns this module's entrants: "unimac", which runs as in any program, and an
// entrant for each lower level in names, or for all lower levels if names is nil. It
// omits a level if the packages choose the same kernels at an even lower level.
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

// selected selects a level for each package, including the package's choices for this
// kind of processor. reset undoes the selection.
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

var made = struct {
	sync.Mutex
	texts map[string][]byte
}{texts: map[string][]byte{}}

// data returns n pseudorandom bytes that the caller must not modify. Because the
// address of a message affects the speed, it returns the same slice for the same
// arguments.
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

func sizes(from, to int) (list []int) {
	for n := from; n <= to; n *= 2 {
		list = append(list, n)
	}
	return list
}
