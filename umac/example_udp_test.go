// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package umac_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"net"

	"github.com/unimac/unimac/umac"
)

// A datagram is its number, the content and the tag. The number is the nonce, and both
// ends count under one key: one sends even numbers, the other odd ones, so that no nonce
// serves twice. What arrives must be in the other's half, and newer than the last, or
// somebody has sent an old datagram again or back to where it came from. Packets that
// overtake each other are lost here; a window of numbers, as IPsec has it, keeps them.
func Example_datagrams() {
	key, err := umac.NewKey(secret, umac.Size64)
	if err != nil {
		log.Fatal(err)
	}
	a, b := pair()
	defer a.Close()
	defer b.Close()
	client, server := newEnd(key, 0), newEnd(key, 1)

	send := func(from *end, conn net.Conn, content string) {
		if _, err := conn.Write(from.seal([]byte(content))); err != nil {
			log.Fatal(err)
		}
	}
	receive := func(to *end, conn net.Conn) {
		buf := make([]byte, 1500)
		n, err := conn.Read(buf)
		if err != nil {
			log.Fatal(err)
		}
		content, err := to.open(buf[:n])
		fmt.Printf("%s %v\n", content, err)
	}
	send(client, a, "what time is it?")
	receive(server, b)
	send(server, b, "late")
	receive(client, a)

	// Somebody sends a datagram again, another back to its sender, and changes a third.
	again := client.seal([]byte("pay"))
	for _, datagram := range [][]byte{again, again} {
		content, err := server.open(datagram)
		fmt.Printf("%s %v\n", content, err)
	}
	_, err = client.open(again)
	fmt.Println(err)
	changed := client.seal([]byte("pay 1"))
	changed[12]++
	_, err = server.open(changed)
	fmt.Println(err)
	// Output:
	// what time is it? <nil>
	// late <nil>
	// pay <nil>
	//  not newer than the last
	// from the wrong side
	// not authentic
}

// An end of a connection.
type end struct {
	key            *umac.Key
	next, expected uint64 // numbers of what is sent, and at least of what is received
}

// newEnd returns the end that sends even numbers (side 0) or odd ones (side 1).
func newEnd(key *umac.Key, side uint64) *end { return &end{key, side, 1 - side} }

// seal returns a datagram. The last number is never used: the key must be changed long
// before.
func (e *end) seal(content []byte) []byte {
	datagram := binary.BigEndian.AppendUint64(nil, e.next)
	e.next += 2
	datagram = append(datagram, content...)
	return e.key.Sum(datagram, datagram[:8], content)
}

// open returns the content of a datagram from the other end.
func (e *end) open(datagram []byte) ([]byte, error) {
	if len(datagram) < 8+umac.Size64 {
		return nil, errors.New("too short")
	}
	nonce, rest := datagram[:8], datagram[8:]
	content, tag := rest[:len(rest)-umac.Size64], rest[len(rest)-umac.Size64:]
	number := binary.BigEndian.Uint64(nonce)
	switch {
	case number%2 != e.expected%2:
		return nil, errors.New("from the wrong side")
	case number < e.expected:
		return nil, errors.New("not newer than the last")
	case !e.key.Verify(tag, nonce, content):
		return nil, errors.New("not authentic")
	}
	e.expected = number + 2
	return content, nil
}

// pair returns two UDP sockets that send to each other.
func pair() (a, b net.Conn) {
	listen := func() *net.UDPConn {
		c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			log.Fatal(err)
		}
		return c
	}
	first, second := listen(), listen()
	return &peer{first, second.LocalAddr()}, &peer{second, first.LocalAddr()}
}

// A peer is a socket with the address that it sends to.
type peer struct {
	*net.UDPConn
	to net.Addr
}

func (p *peer) Write(b []byte) (int, error) { return p.WriteTo(b, p.to) }
