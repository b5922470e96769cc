// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshcmd

import (
	"math"
	"net"
	"testing"
)

// A visitorConn is a connection from an address.
type visitorConn struct {
	net.Conn
	from net.Addr
}

func (c visitorConn) RemoteAddr() net.Addr { return c.from }

// visit has as many clients log in as may at once, of which the first ones are many from each
// address, and then one more. It returns the number of the one that has to go.
func visit(t *testing.T, crowd, addresses int) int {
	t.Helper()
	a := new(admission)
	number := make(map[*visitor]int)
	for i := range maxWaiting {
		from := 1000 + i
		if i < crowd*addresses {
			from = i % addresses
		}
		v := &visitor{from: origin(&net.TCPAddr{IP: net.IPv4(10, 0, byte(from>>8), byte(from))})}
		a.waiting, number[v] = append(a.waiting, v), i
	}
	newest, dropped := a.enter(visitorConn{from: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}})
	if dropped == nil || dropped == newest || len(a.waiting) != maxWaiting || a.waiting[maxWaiting-1] != newest {
		t.Fatalf("%p goes of %d, and %p is the newest", dropped, len(a.waiting), newest)
	}
	return number[dropped]
}

// TestWhoGoes fills the server. One of the address that has most goes, any of them, and where
// several addresses have most, of any of these.
func TestWhoGoes(t *testing.T) {
	for _, tt := range []struct{ crowd, addresses int }{{2, 1}, {40, 1}, {100, 1}, {2, 20}, {1, maxWaiting}} {
		gone := make(map[int]bool)
		for range 300 {
			i := visit(t, tt.crowd, tt.addresses)
			if i >= tt.crowd*tt.addresses {
				t.Errorf("%d each of %d addresses: number %d goes, of an address that has one", tt.crowd, tt.addresses, i)
			}
			gone[i] = true
		}
		if most := tt.crowd * tt.addresses; len(gone) < min(most, 20) {
			t.Errorf("%d each of %d addresses: of %d only %d ever go", tt.crowd, tt.addresses, most, len(gone))
		}
	}
	for n, want := range map[int]float64{0: 0, startDropping - 1: 0, startDropping: firstChance, maxWaiting: 1} {
		if got := dropChance(n); math.Abs(got-want) > 1e-9 || want == 1 && got < 1 {
			t.Errorf("of %d one goes with chance %v, want %v", n, got, want)
		}
	}
}
