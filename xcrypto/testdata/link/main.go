// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// The program link sends data over one SSH channel, through a link with a delay or over
// loopback, and prints how fast that was and, of the link, how much of it was under way.
// It is built against x/crypto and against copies with other windows and buffers.
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

// A report is what the program prints.
type report struct {
	BytesPerSecond float64
	UnderWay       int64 // bytes that a writer got rid of while nobody read
	Memory         int64 // bytes of heap more, while nobody read
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
		send(client, accepted, *size/8) // caches and windows
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

// connect returns a client whose server is at the other end of a new connection, and the
// channels that this server accepted.
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

// flood writes until nothing goes any more, while nobody reads.
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
	// A Write that does not fit blocks in the middle: its bytes are not counted.
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

// send sends so many bytes and returns how many arrived in a second.
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

// newLoopback returns the ends of a TCP connection.
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

// A link is one direction of a connection that delays what goes through it. What is
// under way is not bounded.
type link struct {
	delay  time.Duration
	packet chan arrival
	rest   []byte
}

type arrival struct {
	at   time.Time
	data []byte
}

// end is one end of two links.
type end struct {
	net.Conn // for addresses; nothing goes through it
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
