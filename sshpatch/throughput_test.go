// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package sshpatch

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// A contender is a way to protect a connection.
type contender struct {
	cipher, mac string
	genuine     bool // encrypted by the cipher that Accelerate replaced
}

var contenders = []contender{
	{"aes128-ctr", UMAC64ETM, false},
	{"aes128-ctr", UMAC128ETM, false},
	{"aes128-ctr", "hmac-sha2-256-etm@openssh.com", false},
	{"aes128-gcm@openssh.com", "", false},
	{chacha20Poly1305, "", false},
	{chacha20Poly1305, "", true},
}

// String names a contender by what it differs in.
func (c contender) String() string {
	name, _, _ := strings.Cut(cmp.Or(c.mac, c.cipher), "@")
	if c.genuine {
		name += "-genuine"
	}
	return name
}

// openSink connects and opens a channel that takes everything.
func (contender contender) openSink(b *testing.B) ssh.Channel {
	b.Helper()
	config := algorithms(contender.cipher, contender.mac)
	config.RekeyThreshold = 1 << 40 // the cipher stays the one of the handshake
	if contender.genuine {
		ours := cipherModes[contender.cipher]
		cipherModes[contender.cipher] = before.ciphers[contender.cipher]
		defer func() { cipherModes[contender.cipher] = ours }()
	}
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
		b.Run("alg="+c.String()+"/size=1048576", func(b *testing.B) {
			channel := c.openSink(b)
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
// of each, how many times as fast umac-128-etm is as the others, and how many times as
// fast chacha20-poly1305 is as x/crypto/ssh's own:
//
//	go test -run - -bench SSHCompared -benchtime 60x ./sshpatch
func BenchmarkSSHCompared(b *testing.B) {
	const writes = 16
	channels := make([]ssh.Channel, len(contenders))
	took := make([][]time.Duration, len(contenders))
	for i, c := range contenders {
		channels[i] = c.openSink(b)
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
		speed[c.String()] = float64(writes*len(data)) / 1e6 / median.Seconds()
	}
	b.ReportMetric(0, "ns/op")
	for name, v := range speed {
		b.ReportMetric(v, name+"-MB/s")
		if name != "umac-128-etm" {
			b.ReportMetric(speed["umac-128-etm"]/v, "x-"+name)
		}
	}
	b.ReportMetric(speed["chacha20-poly1305"]/speed["chacha20-poly1305-genuine"], "chacha20-poly1305-x")
}
