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

// An admission limits the number of clients logging in at the same time. When
// maxWaiting clients are already logging in, each new client replaces another. The
// replaced client is chosen at random among those from the address that has the most.
// This way, idle clients cannot keep others out.
type admission struct {
	mu      sync.Mutex
	waiting []*visitor // clients that are logging in
}

const maxWaiting = 128

// A visitor is a connection whose client is logging in.
type visitor struct {
	conn net.Conn
	from netip.Prefix // IPv4 address or IPv6 /64 prefix
}

// admit registers conn as the visitor v. If too many clients are already logging in,
// admit removes one of them and returns it as dropped. The caller must then close
// dropped's connection.
func (a *admission) admit(conn net.Conn) (v, dropped *visitor) {
	v = &visitor{conn: conn, from: origin(conn.RemoteAddr())}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == maxWaiting {
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

// release removes v. It may be called more than once.
func (a *admission) release(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(v)
}

func (a *admission) remove(v *visitor) {
	a.waiting = slices.DeleteFunc(a.waiting, func(w *visitor) bool { return w == v })
}

func origin(addr net.Addr) netip.Prefix {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	p, _ := ip.Prefix(min(ip.BitLen(), 64))
	return p
}
