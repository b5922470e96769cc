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
// the more often. It takes any one of the address that has most, or of one of those
// that have most, and never the newest, so that idle connections of an attacker keep
// nobody out.
type admission struct {
	mu      sync.Mutex
	waiting []*visitor // those that are logging in
}

// A visitor is a connection.
type visitor struct {
	conn net.Conn
	from netip.Prefix // its address; of IPv6, the /64 that it is in
}

const (
	// startDropping is how many may be logging in before any is dropped, and
	// maxWaiting how many at most. Between them the chance that one is dropped
	// rises from firstChance to 1.
	startDropping = 32
	maxWaiting    = 128
	firstChance   = 0.3
)

// enter takes a connection in, and returns which other one has to go for it, if one has.
func (a *admission) enter(conn net.Conn) (v, dropped *visitor) {
	v = &visitor{conn: conn, from: origin(conn.RemoteAddr())}
	a.mu.Lock()
	defer a.mu.Unlock()
	if rand.Float64() < dropChance(len(a.waiting)) {
		var crowd []*visitor
		of := make(map[netip.Prefix][]*visitor)
		for _, i := range rand.Perm(len(a.waiting)) {
			w := a.waiting[i]
			of[w.from] = append(of[w.from], w)
			if len(of[w.from]) > len(crowd) {
				crowd = of[w.from]
			}
		}
		dropped = crowd[0]
		a.remove(dropped)
	}
	a.waiting = append(a.waiting, v)
	return v, dropped
}

// dropChance returns the chance that one is dropped when n are logging in.
func dropChance(n int) float64 {
	if n < startDropping {
		return 0
	}
	return 1 - (1-firstChance)*float64(maxWaiting-n)/(maxWaiting-startDropping)
}

// leave says that a connection has logged in, or ended.
func (a *admission) leave(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(v)
}

func (a *admission) remove(v *visitor) {
	a.waiting = slices.DeleteFunc(a.waiting, func(w *visitor) bool { return w == v })
}

// origin returns what a connection is counted with.
func origin(addr net.Addr) netip.Prefix {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	p, _ := ip.Prefix(min(ip.BitLen(), 64))
	return p
}
