// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chart

import (
	"fmt"
	"math"

	"github.com/unimac/unimac/internal/bench/record"
)

const kiB, miB = 1 << 10, 1 << 20

// rows are about what people use x/crypto for.
var rows = []struct {
	work, contest, ours, peer string
	size                      int
	program                   string // in place of a contest
}{
	{"ChaCha20-Poly1305, 64 bytes", "chacha20-poly1305-seal", "unimac", "x-crypto", 64, ""},
	{"ChaCha20-Poly1305, 1420 bytes", "chacha20-poly1305-seal", "unimac", "x-crypto", 1420, ""},
	{"ChaCha20-Poly1305, 16 KiB", "chacha20-poly1305-seal", "unimac", "x-crypto", 16 * kiB, ""},
	{"128 packets of 256 bytes, SealBatch", "chacha20-poly1305-batch", "unimac", "x-crypto", 256, ""},
	{"ChaCha20-Poly1305-SIV, 64 bytes ¹", "chacha20-poly1305-siv-seal", "unimac", "x-crypto", 64, ""},
	{"ChaCha20-Poly1305-SIV, 16 KiB ¹", "chacha20-poly1305-siv-seal", "unimac", "x-crypto", 16 * kiB, ""},
	{"ChunkedChaCha20Poly1305, sealed ¹", "stream-formats-seal", "unimac", "x-chacha20poly1305", 64 * miB, ""},
	{"the same, opened ¹", "stream-formats-open", "unimac", "x-chacha20poly1305", 64 * miB, ""},
	{"stream UnimacV2, committing, sealed ¹", "stream-formats-seal", "unimac-v2", "x-chacha20poly1305", 64 * miB, ""},
	{"BLAKE2b with a key, 16 KiB", "blake2b", "unimac", "x-crypto", 16 * kiB, ""},
	{"Poly1305, 16 KiB", "poly1305", "unimac", "x-crypto", 16 * kiB, ""},
	{"SSH, chacha20-poly1305, Accelerate", "ssh", "unimac-chacha20-poly1305", "chacha20-poly1305", miB, ""},
	{work: "packets of 1420 bytes, vendor", program: "packets: seal and open 1420 bytes in place"},
	{work: "wireguard-go, its Throughput, vendor", program: "wireguard-go: its benchmark Throughput, a packet"},
	{work: "age, encrypt 1 GB to a file, vendor", program: "age: encrypt 1074 MB"},
	{work: "age, decrypt 1 GB to a file, vendor", program: "age: decrypt 1074 MB"},
	{work: "age, encrypt 1 GB to /dev/null, vendor", program: "age: encrypt 1074 MB to /dev/null"},
	{work: "age, decrypt 1 GB to /dev/null, vendor", program: "age: decrypt 1074 MB to /dev/null"},
	{work: "rclone crypt, encrypt 500 MB, vendor", program: "rclone: crypt, encrypt 537 MB"},
	{work: "rclone crypt, decrypt 500 MB, vendor", program: "rclone: crypt, decrypt 537 MB"},
	{work: "nacl/box, 16 KiB, vendor", program: "saltpack: seal and open a box of 16 KiB"},
	{work: "SFTP server, get 500 MB, vendor", program: "go-sftp-server: OpenSSH's sftp, get 537 MB"},
	{work: "SFTP server, put 500 MB, vendor", program: "go-sftp-server: OpenSSH's sftp, put 537 MB"},
}

// multiplesOf returns those of a record, in the order of rows, with its best kernels and with
// AVX2 alone; NaN for what was not measured.
func multiplesOf(r *record.Record) (all [][2]float64) {
	for _, row := range rows {
		best, lower := r.Program(row.program)
		if row.program == "" {
			best, lower = r.Times(row.contest, row.ours, row.peer, row.size), r.Times(row.contest, row.ours+"-avx2", row.peer, row.size)
		}
		all = append(all, [2]float64{best, lower})
	}
	return all
}

// Overview draws multiples of x/crypto's speed, side by side for all processors.
func Overview(all []*record.Record) []byte {
	const gap = 56.0 // with room for the figure of the longest bar
	height := titleHeight + 22 + barHeight*float64(len(rows)) + bottomMargin + 16
	panel := (chartWidth - labelWidth) / float64(min(len(all), 2))
	d := newDrawing(labelWidth+panel*float64(len(all)), height)
	d.title("Multiples of the speed of golang.org/x/crypto", "one core, data in cache; SSH and SFTP: two cores")
	for i, r := range all {
		high, multiples := 1.0, multiplesOf(r)
		for _, m := range multiples {
			high = max(high, orOne(m[0]))
		}
		left := labelWidth + panel*float64(i)
		p := &plot{drawing: d, left: left, right: left + panel - gap, top: titleHeight + 22, bottom: height - bottomMargin - 16}
		p.x = func(v float64) float64 { return p.left + (p.right-p.left)*v/high }
		p.legend(r.Name, r.Level(), "AVX2 alone")
		p.axes("times as fast as x/crypto", "", evenTicks(high), nil)
		for k, row := range rows {
			y := p.top + barHeight*float64(k)
			if i == 0 {
				p.text("", p.left-8, y+barHeight/2+4, end, row.work)
			}
			p.multiples(y, multiples[k][0], multiples[k][1])
		}
		p.line("one", p.x(1), p.top, p.x(1), p.bottom, "")
	}
	d.text("note", 12, height-8, start, "¹ compared with x/crypto's ChaCha20-Poly1305, which does not commit to the key")
	return d.bytes()
}

// orOne returns a multiple, or 1 where there is none.
func orOne(v float64) float64 {
	if math.IsNaN(v) {
		return 1
	}
	return v
}

// legend writes above a plot which processor it is about, and the colours of its two levels.
func (p *plot) legend(name, best, lower string) {
	p.text("axis", p.left, p.top-22, start, name)
	p.bar("own", p.left, p.top-15, 12, 9)
	p.text("", p.left+17, p.top-6, start, best)
	p.bar("p3", p.left+150, p.top-15, 12, 9)
	p.text("", p.left+167, p.top-6, start, lower)
}

// multiples draws bars for the two levels of the processor with their figures, if there are any.
func (p *plot) multiples(y, best, lower float64) {
	switch {
	case math.IsNaN(best):
		p.text("note", p.x(1)+6, y+19, start, "not measured")
	case math.IsNaN(lower):
		p.multiple("own", y+8, best)
	default:
		p.multiple("own", y+3, best)
		p.multiple("p3", y+15, lower)
	}
}

// multiple draws a bar with its figure, which the line at 1 does not cross.
func (p *plot) multiple(class string, y, v float64) {
	const width = 32.0 // of the figure
	p.bar(class, p.left, y, p.x(v)-p.left, 11)
	x := p.x(v)
	if one := p.x(1); x < one && x+6+width > one {
		x = one
	}
	p.text("", x+6, y+9.5, start, fmt.Sprintf("%.2f", v))
}
