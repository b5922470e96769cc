// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"sync"
)

// An admission decides who may be logging in at once. Where there are many, it
// drops one of them at random, as MaxStartups of sshd does: the more there are,
// the more often. It takes one of the address that has most, and never the
// newest, so that idle connections of an attacker keep nobody out.
type admission struct {
	mu      sync.Mutex
	waiting []*visitor           // those that are logging in
	of      map[netip.Prefix]int // all connections, by address
}

// A visitor is a connection.
type visitor struct {
	conn net.Conn
	from netip.Prefix
	gone bool
}

const (
	// startDropping is how many may be logging in before any is dropped, and
	// maxWaiting how many at most. Between them the chance that one is dropped
	// rises from firstChance to 1.
	startDropping = 32
	maxWaiting    = 128
	firstChance   = 0.3
	// maxWaitingOf is how many of one address may be logging in, and maxOf how
	// many connections it may have. An address of IPv6 is the /64 that it is in.
	maxWaitingOf = 64
	maxOf        = 256
)

func newAdmission() *admission { return &admission{of: make(map[netip.Prefix]int)} }

// enter takes a connection in. It returns nil if its address has too many, and
// which other one has to go for it, if one has.
func (a *admission) enter(conn net.Conn) (v, dropped *visitor) {
	v = &visitor{conn: conn, from: origin(conn.RemoteAddr())}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of[v.from] >= maxOf {
		return nil, nil
	}
	waitingOf := make(map[netip.Prefix]int)
	for _, w := range a.waiting {
		waitingOf[w.from]++
	}
	crowd := netip.Prefix{}
	switch {
	case waitingOf[v.from] >= maxWaitingOf:
		crowd = v.from
	case rand.Float64() < dropChance(len(a.waiting)):
		for from, n := range waitingOf {
			if n > waitingOf[crowd] {
				crowd = from
			}
		}
	}
	if n := waitingOf[crowd]; n > 0 {
		which := rand.IntN(n)
		for _, w := range a.waiting {
			if w.from != crowd {
				continue
			}
			if which == 0 {
				dropped = w
				break
			}
			which--
		}
		a.remove(dropped)
	}
	a.waiting = append(a.waiting, v)
	a.of[v.from]++
	return v, dropped
}

// dropChance returns the chance that one is dropped when n are logging in.
func dropChance(n int) float64 {
	if n < startDropping {
		return 0
	}
	return firstChance + (1-firstChance)*float64(n-startDropping)/(maxWaiting-startDropping)
}

// loggedIn says that a connection logs in no more.
func (a *admission) loggedIn(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = slices.DeleteFunc(a.waiting, func(w *visitor) bool { return w == v })
}

// leave says that a connection has ended.
func (a *admission) leave(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(v)
}

// remove forgets a connection, once.
func (a *admission) remove(v *visitor) {
	if v.gone {
		return
	}
	v.gone = true
	a.waiting = slices.DeleteFunc(a.waiting, func(w *visitor) bool { return w == v })
	if a.of[v.from]--; a.of[v.from] == 0 {
		delete(a.of, v.from)
	}
}

// origin returns what a connection is counted with.
func origin(addr net.Addr) netip.Prefix {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	p, err := ip.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}
