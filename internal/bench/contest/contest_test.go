// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package contest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/bench/record"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/dispatch"
)

// TestAnswers checks that all entrants of each contest return the same results for
// messages of every size.
func TestAnswers(t *testing.T) {
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			for _, size := range c.Sizes {
				if testing.Short() && size > 64<<10 {
					continue
				}
				works, err := Start(present(t, &c), size)
				if err != nil {
					t.Fatal(err)
				}
				StopAll(works)
			}
		})
	}
}

// present returns the entrants that are available on this machine.
func present(t *testing.T, c *Contest) (entrants []*Entrant) {
	t.Helper()
	for i := range c.Entrants {
		w, err := c.Entrants[i].Start(c.Sizes[0])
		if errors.Is(err, ErrAbsent) {
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Stop()
		entrants = append(entrants, &c.Entrants[i])
	}
	return entrants
}

// TestLoops checks that each entrant's loop runs the requested number of iterations:
// 2000 iterations must take at least ten times as long as 50.
func TestLoops(t *testing.T) {
	for _, c := range All() {
		size := c.Sizes[0]
		if size > 1<<10 {
			continue
		}
		for _, e := range present(t, &c) {
			w, err := e.Start(size)
			if err != nil {
				t.Fatal(err)
			}
			few, many := time.Hour, time.Hour
			for range 5 {
				few, many = min(few, w.Loop(50)), min(many, w.Loop(2000))
			}
			if many < 10*few {
				t.Errorf("%s, %s: 50 iterations took %v, 2000 took %v", c.Name, e.Name, few, many)
			}
			w.Stop()
		}
	}
}

// TestNames checks that the names of contests and entrants are valid parts of benchmark
// names, and that they are unique.
func TestNames(t *testing.T) {
	valid := regexp.MustCompile("^[a-z0-9-]+$")
	seen := map[string]bool{}
	for _, c := range All() {
		if !valid.MatchString(c.Name) || seen[c.Name] || c.Title == "" || len(c.Sizes) == 0 || !slices.IsSorted(c.Sizes) {
			t.Errorf("invalid or duplicate contest %q, %q, sizes %d", c.Name, c.Title, c.Sizes)
		}
		seen[c.Name] = true
		entrants, labels := map[string]bool{}, map[string]bool{}
		for _, e := range c.Entrants {
			if !valid.MatchString(e.Name) || entrants[e.Name] || e.Label == "" || labels[e.Label] {
				t.Errorf("%s: invalid or duplicate entrant %q, %q", c.Name, e.Name, e.Label)
			}
			entrants[e.Name], labels[e.Label] = true, true
			if ours := strings.HasPrefix(e.Name, "unimac") || strings.HasPrefix(e.Name, "umac"); ours != e.Ours {
				t.Errorf("%s: entrant %s has Ours = %v", c.Name, e.Name, e.Ours)
			}
		}
	}
}

// TestDisagreement checks that Start returns an error and stops all entrants if two of
// them return different results or one fails.
func TestDisagreement(t *testing.T) {
	stopped := 0
	answers := func(name, answer string, other bool) *Entrant {
		return &Entrant{Name: name, Other: other, Start: func(int) (*Work, error) {
			w := work([]byte(answer), func(int) {})
			w.stop = func() { stopped++ }
			return w, nil
		}}
	}
	a, b, c, d := answers("a", "1", false), answers("b", "1", false), answers("c", "2", false), answers("d", "2", true)
	works, err := Start([]*Entrant{d, a, b}, 5)
	if err != nil || len(works) != 3 || stopped != 0 {
		t.Fatal(works, err, stopped)
	}
	StopAll(works)
	works, err = Start([]*Entrant{a, d, c, b}, 5)
	if want := "a and c return different results for a message of 5 bytes"; err == nil || err.Error() != want || works != nil {
		t.Errorf("Start = %v, %v, want error %q", works, err, want)
	}
	if stopped != 3+3 {
		t.Errorf("%d entrants were stopped, want 6", stopped)
	}
	fails := &Entrant{Name: "e", Start: func(int) (*Work, error) { return nil, ErrAbsent }}
	if _, err := Start([]*Entrant{a, fails}, 5); !errors.Is(err, ErrAbsent) || !strings.HasPrefix(err.Error(), "e: ") {
		t.Errorf("Start = %v, want ErrAbsent with the name of the entrant", err)
	}
}

// The package fakes has two implementations besides plain Go, and halves has one of
// them.
var fakesOn, halvesOn dispatch.Choice

func init() {
	dispatch.Register("fakes", &fakesOn, cpu.AMD64, cpu.SSE41)
	dispatch.Register("halves", &halvesOn, cpu.AMD64)
}

// TestOurs checks which implementations are selected when an entrant starts and runs.
func TestOurs(t *testing.T) {
	if !cpu.SSE41.Available() {
		t.Skip("this machine cannot run sse41")
	}
	pkgs := []string{"fakes", "halves"}
	var on []string
	note := func() { on = append(on, dispatch.InUse("fakes")+" "+dispatch.InUse("halves")) }
	entrants := ours(pkgs, func(int) (*Work, error) {
		note()
		return work(nil, func(int) { note() }), nil
	})
	var got []string
	for _, e := range entrants {
		on = nil
		w, err := e.Start(1)
		if err != nil {
			t.Fatal(err)
		}
		w.Loop(1)
		if len(on) != 2 || on[0] != on[1] {
			t.Errorf("%s: implementations at start and in the loop are %v", e.Name, on)
		}
		got = append(got, fmt.Sprintf("%s in use %v: %s", e.Name, e.InUse, on[0]))
	}
	want := []string{
		"unimac in use false: sse41 amd64",
		"unimac-sse41 in use true: sse41 amd64",
		"unimac-amd64 in use false: amd64 amd64",
		"unimac-generic in use false: generic generic",
	}
	if !slices.Equal(got, want) {
		t.Errorf("entrants %q, want %q", got, want)
	}
	if dispatch.InUse("fakes") != "sse41" || dispatch.InUse("halves") != "amd64" {
		t.Error("the implementations were not restored")
	}
}

func TestWorked(t *testing.T) {
	for name, want := range map[string]int{"umac-64": 512, "multimac": 16 + 512, "multimac-8": 8 * (16 + 512), "blake2b-8": 8 * 512} {
		all := All()
		i := slices.IndexFunc(all, func(c Contest) bool { return c.Name == name })
		if got := all[i].Worked(512); got != want {
			t.Errorf("%s: Worked(512) = %d, want %d", name, got, want)
		}
	}
}

// TestGoals checks that the contest, peer and sizes of each goal exist.
func TestGoals(t *testing.T) {
	all := All()
	for _, g := range record.Goals {
		i := slices.IndexFunc(all, func(c Contest) bool { return c.Name == g.Contest })
		if i < 0 {
			t.Errorf("%s: no contest %s", g.Work, g.Contest)
			continue
		}
		if !slices.ContainsFunc(all[i].Entrants, func(e Entrant) bool { return e.Name == g.Peer }) {
			t.Errorf("%s: no %s in %s", g.Work, g.Peer, g.Contest)
		}
		for _, size := range g.Sizes {
			if !slices.Contains(all[i].Sizes, size) {
				t.Errorf("%s: no %d bytes in %s", g.Work, size, g.Contest)
			}
		}
	}
}
