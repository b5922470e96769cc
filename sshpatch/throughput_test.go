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

// A contender is a combination of algorithms that protects a connection.
type contender struct {
	cipher, mac string
	genuine     bool // use the cipher that Accelerate replaced
}

var contenders = []contender{
	{"aes128-ctr", UMAC64ETM, false},
	{"aes128-ctr", UMAC128ETM, false},
	{"aes128-ctr", "hmac-sha2-256-etm@openssh.com", false},
	{"aes128-gcm@openssh.com", "", false},
	{chacha20Poly1305, "", false},
	{chacha20Poly1305, "", true},
}

// String returns the parts in which contenders differ.
func (c contender) String() string {
	name, _, _ := strings.Cut(cmp.Or(c.mac, c.cipher), "@")
	if c.genuine {
		name += "-genuine"
	}
	return name
}

// openSink connects and opens a channel whose peer discards all data.
func (contender contender) openSink(b *testing.B) ssh.Channel {
	b.Helper()
	config := algorithms(contender.cipher, contender.mac)
	config.RekeyThreshold = 1 << 40 // keep the cipher of the handshake
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

// BenchmarkSSH measures a client that sends 1 MiB per iteration to a server in the same
// process over loopback. Both ends run concurrently.
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

// BenchmarkSSHCompared alternates between the contenders every 16 MiB, so that other
// load affects all of them alike. It reports the median speed of each contender, and
// the ratios of umac-128-etm to the others and of chacha20-poly1305 to x/crypto/ssh's
// own:
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
	for round := 0; b.Loop(); round++ {
		for i := range channels {
			i := (i + round) % len(channels)
			start := time.Now()
			for range writes {
				if _, err := channels[i].Write(data); err != nil {
					b.Fatal(err)
				}
			}
			// Buffers may still contain data. The server answers an unknown request
			// only after it has read all data.
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
