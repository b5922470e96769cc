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

// A datagram consists of its number, the content and the tag. The number is the nonce.
// Both ends use the same key: one end sends even numbers and the other odd ones, so no
// nonce is used twice. The receiver accepts a datagram only if its number belongs to
// the other end and is higher than all earlier ones. It therefore rejects replayed and
// reflected datagrams. This example also drops datagrams that arrive out of order; a
// window of accepted numbers, as in IPsec, would keep them.
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

	// An attacker replays a datagram, reflects another to its sender, and changes a
	// third.
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

// An end is one side of a connection.
type end struct {
	key            *umac.Key
	next, expected uint64 // the next number to send, and the lowest number to accept
}

// newEnd returns the end that sends even numbers (side 0) or odd ones (side 1).
func newEnd(key *umac.Key, side uint64) *end { return &end{key, side, 1 - side} }

// seal returns a datagram. It never uses the last number: the key must be changed long
// before the numbers run out.
func (e *end) seal(content []byte) []byte {
	datagram := binary.BigEndian.AppendUint64(nil, e.next)
	e.next += 2
	datagram = append(datagram, content...)
	return e.key.Sum(datagram, datagram[:8], content)
}

// open returns the content of a datagram sent by the other end.
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

// A peer is a socket and the address that it sends to.
type peer struct {
	*net.UDPConn
	to net.Addr
}

func (p *peer) Write(b []byte) (int, error) { return p.WriteTo(b, p.to) }
