// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// contenders are the ways to protect a connection that are compared.
var contenders = []struct{ cipher, mac string }{
	{"aes128-ctr", UMAC64ETM},
	{"aes128-ctr", UMAC128ETM},
	{"aes128-ctr", "hmac-sha2-256-etm@openssh.com"},
	{"aes128-gcm@openssh.com", ""},
	{"chacha20-poly1305@openssh.com", ""},
}

// contender names one of them by what it differs in.
func contender(cipher, mac string) string {
	if mac == "" {
		mac = cipher
	}
	name, _, _ := strings.Cut(mac, "@")
	return name
}

// openSink connects with one cipher and MAC and opens a channel that takes
// everything.
func openSink(b *testing.B, cipher, mac string) ssh.Channel {
	b.Helper()
	config := algorithms(cipher, mac)
	c := connect(b, config)
	checkNegotiated(b, c.client.Conn, config)
	channel, requests, err := c.client.OpenChannel("discard", nil)
	if err != nil {
		b.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	return channel
}

// BenchmarkSSH measures a client that writes 1 MiB at a time to a server, in
// one process over loopback. Both ends work side by side.
func BenchmarkSSH(b *testing.B) {
	for _, c := range contenders {
		b.Run("alg="+contender(c.cipher, c.mac)+"/size=1048576", func(b *testing.B) {
			channel := openSink(b, c.cipher, c.mac)
			data := make([]byte, 1<<20)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := channel.Write(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSSHCompared lets the contenders take turns of 16 MiB, so that
// whatever else the machine does meets all alike, and reports the median speed
// of each and how many times as fast umac-128-etm is as the others:
//
//	go test -run - -bench SSHCompared -benchtime 60x ./sshpatch
func BenchmarkSSHCompared(b *testing.B) {
	const writes = 16
	channels := make([]ssh.Channel, len(contenders))
	took := make([][]time.Duration, len(contenders))
	for i, c := range contenders {
		channels[i] = openSink(b, c.cipher, c.mac)
	}
	data := make([]byte, 1<<20)
	for turn := 0; b.Loop(); turn++ {
		for i := range channels {
			i := (i + turn) % len(channels)
			start := time.Now()
			for range writes {
				if _, err := channels[i].Write(data); err != nil {
					b.Fatal(err)
				}
			}
			// The server is behind by what fits in buffers. Its answer, that it
			// does not know the request, comes after all of that.
			if _, err := channels[i].SendRequest("done?", true, nil); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(start))
		}
	}
	speed := map[string]float64{}
	for i, c := range contenders {
		slices.Sort(took[i])
		median := took[i][len(took[i])/2]
		speed[contender(c.cipher, c.mac)] = float64(writes*len(data)) / 1e6 / median.Seconds()
	}
	b.ReportMetric(0, "ns/op")
	for name, v := range speed {
		b.ReportMetric(v, name+"-MB/s")
		if name != "umac-128-etm" {
			b.ReportMetric(speed["umac-128-etm"]/v, "x-"+name)
		}
	}
}
