// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The program link sends data over one SSH channel, over a link with a delay or over
// loopback. It prints the speed and, for the link, the amount of data in transit. Tests
// build it with x/crypto and with copies that have other window and buffer sizes.
package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// A report is the output of the program.
type report struct {
	BytesPerSecond float64
	UnderWay       int64 // bytes written while nobody read
	Memory         int64 // additional heap bytes while nobody read
}

func main() {
	delay := flag.Duration("delay", 50*time.Millisecond, "of the link, in each direction")
	size := flag.Int("size", 64<<20, "bytes to send")
	cipher := flag.String("cipher", "", "the cipher")
	still := flag.Duration("still", time.Second, "for how long a writer that is held up writes nothing")
	loopback := flag.Bool("loopback", false, "send over TCP, without a delay, and measure the speed alone")
	flag.Parse()
	var config ssh.Config
	if *cipher != "" {
		config.Ciphers = []string{*cipher}
	}
	var r report
	if *loopback {
		client, accepted := connect(newLoopback, config)
		send(client, accepted, *size/8) // warm up caches and windows
		r.BytesPerSecond = send(client, accepted, *size)
	} else {
		client, accepted := connect(func() (near, far net.Conn) { return newLink(*delay) }, config)
		r.UnderWay, r.Memory = flood(client, accepted, *still)
		r.BytesPerSecond = send(client, accepted, *size)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		log.Fatal(err)
	}
}

// connect returns a client that is connected to a new server, and the channels that the
// server accepts.
func connect(pair func() (near, far net.Conn), config ssh.Config) (*ssh.Client, <-chan ssh.Channel) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	check(err)
	signer, err := ssh.NewSignerFromKey(key)
	check(err)
	server := &ssh.ServerConfig{Config: config, NoClientAuth: true}
	server.AddHostKey(signer)
	near, far := pair()
	accepted := make(chan ssh.Channel, 8)
	go func() {
		_, channels, requests, err := ssh.NewServerConn(far, server)
		check(err)
		go ssh.DiscardRequests(requests)
		for offered := range channels {
			channel, requests, err := offered.Accept()
			check(err)
			go ssh.DiscardRequests(requests)
			accepted <- channel
		}
	}()
	c, channels, requests, err := ssh.NewClientConn(near, "link", &ssh.ClientConfig{Config: config, HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	check(err)
	return ssh.NewClient(c, channels, requests), accepted
}

func open(client *ssh.Client, accepted <-chan ssh.Channel) (near, far ssh.Channel) {
	near, requests, err := client.OpenChannel("data", nil)
	check(err)
	go ssh.DiscardRequests(requests)
	return near, <-accepted
}

// flood writes until Write blocks, while nobody reads. It returns the numbers of bytes
// written and of additional heap bytes.
func flood(client *ssh.Client, accepted <-chan ssh.Channel, still time.Duration) (bytes, memory int64) {
	near, far := open(client, accepted)
	before := heap()
	var written atomic.Int64
	go func() {
		block := make([]byte, 32<<10)
		for {
			n, err := near.Write(block)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	}()
	// A Write that does not fit blocks halfway, and its bytes are not counted.
	for last := int64(-1); written.Load() != last; time.Sleep(still) {
		last = written.Load()
	}
	memory = heap() - before
	far.Close()
	near.Close()
	return written.Load(), memory
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// send sends size bytes and returns the speed in bytes per second.
func send(client *ssh.Client, accepted <-chan ssh.Channel, size int) float64 {
	near, far := open(client, accepted)
	start := time.Now()
	go func() {
		block := make([]byte, 64<<10)
		for sent := 0; sent < size; sent += len(block) {
			_, err := near.Write(block)
			check(err)
		}
		near.CloseWrite()
	}()
	n, err := io.Copy(io.Discard, far)
	check(err)
	if n < int64(size) {
		log.Fatalf("%d bytes arrived of %d", n, size)
	}
	return float64(n) / time.Since(start).Seconds()
}

// newLoopback returns both ends of a TCP connection over loopback.
func newLoopback() (near, far net.Conn) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer listener.Close()
	near, err = net.Dial("tcp", listener.Addr().String())
	check(err)
	far, err = listener.Accept()
	check(err)
	return near, far
}

// A link is one direction of a connection that delays data. The amount of data in
// transit is unlimited.
type link struct {
	delay  time.Duration
	packet chan arrival
	rest   []byte
}

type arrival struct {
	at   time.Time
	data []byte
}

// An end is one end of a connection that consists of two links.
type end struct {
	net.Conn // provides the addresses; it carries no data
	in, out  *link
}

func newLink(delay time.Duration) (near, far net.Conn) {
	a, b := net.Pipe()
	there, back := &link{delay, make(chan arrival, 1<<20), nil}, &link{delay, make(chan arrival, 1<<20), nil}
	return &end{a, back, there}, &end{b, there, back}
}

func (e *end) Write(p []byte) (int, error) {
	e.out.packet <- arrival{time.Now().Add(e.out.delay), append([]byte(nil), p...)}
	return len(p), nil
}

func (e *end) Read(p []byte) (int, error) {
	l := e.in
	if len(l.rest) == 0 {
		next := <-l.packet
		time.Sleep(time.Until(next.at))
		l.rest = next.data
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
