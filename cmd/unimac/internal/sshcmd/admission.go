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

// An admission limits the number of clients that are logging in concurrently. Like
// MaxStartups of sshd, it drops a random client, with a probability that grows with the
// number of clients. It chooses among the clients of the address with the most
// connections, and never drops the newest client. Therefore, an attacker's idle
// connections cannot keep other clients out.
type admission struct {
	mu      sync.Mutex
	waiting []*visitor // clients that are logging in
}

// A visitor is a connection whose client is logging in.
type visitor struct {
	conn net.Conn
	from netip.Prefix // IPv4 address or IPv6 /64 prefix
}

const (
	// If startDropping clients are waiting, a new client causes one of them to be
	// dropped with probability firstChance. The probability rises linearly to 1 at
	// maxWaiting clients.
	startDropping = 32
	maxWaiting    = 128
	firstChance   = 0.3
)

// admit registers conn and returns it as v. If admit has to drop another connection, it
// returns that connection as dropped.
func (a *admission) admit(conn net.Conn) (v, dropped *visitor) {
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

// dropChance returns the probability of a drop when n clients are logging in.
func dropChance(n int) float64 {
	if n < startDropping {
		return 0
	}
	return 1 - (1-firstChance)*float64(maxWaiting-n)/(maxWaiting-startDropping)
}

// release removes a client that has logged in or disconnected. It may be called more than
// once.
func (a *admission) release(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(v)
}

func (a *admission) remove(v *visitor) {
	a.waiting = slices.DeleteFunc(a.waiting, func(w *visitor) bool { return w == v })
}

// origin returns the address prefix by which connections are counted.
func origin(addr net.Addr) netip.Prefix {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	p, _ := ip.Prefix(min(ip.BitLen(), 64))
	return p
}
