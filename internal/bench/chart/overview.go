// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package chart

import (
	"fmt"
	"math"

	"github.com/unimac/unimac/internal/bench/record"
)

const kiB, miB = 1 << 10, 1 << 20

// lowerLevel is the class of the bars for AVX2, a shade of the best kernels' colour.
const lowerLevel = "own lower2"

// A condition is the number of a footnote about several cores or uncached data.
type condition string

const (
	cached    condition = ""
	memory    condition = " ²"
	twoCores  condition = " ³"
	twoFiles  condition = " ⁴"
	footnotes           = "¹ compared with x/crypto's ChaCha20-Poly1305, which does not commit to the key; ² data in memory; ³ two cores; ⁴ two cores, and files in memory"
)

var rows = []struct {
	work, contest, ours, peer string
	size                      int
	program                   string // in place of a contest
	condition                 condition
}{
	{"ChaCha20-Poly1305, 64 bytes", "chacha20-poly1305-seal", "unimac", "x-crypto", 64, "", cached},
	{"ChaCha20-Poly1305, 1420 bytes", "chacha20-poly1305-seal", "unimac", "x-crypto", 1420, "", cached},
	{"the same, opened", "chacha20-poly1305-open", "unimac", "x-crypto", 1420, "", cached},
	{"ChaCha20-Poly1305, 16 KiB", "chacha20-poly1305-seal", "unimac", "x-crypto", 16 * kiB, "", cached},
	{"the same, opened", "chacha20-poly1305-open", "unimac", "x-crypto", 16 * kiB, "", cached},
	{"128 packets of 256 bytes, SealBatch", "chacha20-poly1305-batch", "unimac", "x-crypto", 256, "", cached},
	{"ChaCha20-Poly1305-SIV, 64 bytes ¹", "chacha20-poly1305-siv-seal", "unimac", "x-crypto", 64, "", cached},
	{"ChaCha20-Poly1305-SIV, 16 KiB ¹", "chacha20-poly1305-siv-seal", "unimac", "x-crypto", 16 * kiB, "", cached},
	{"the same, opened ¹", "chacha20-poly1305-siv-open", "unimac", "x-crypto", 16 * kiB, "", cached},
	{"stream UnimacV2, committing ¹", "stream-formats-seal", "unimac-v2", "x-chacha20poly1305", 64 * miB, "", memory},
	{"the same, opened ¹", "stream-formats-open", "unimac-v2", "x-chacha20poly1305", 64 * miB, "", memory},
	{"stream ChunkedChaCha20Poly1305 ¹", "stream-formats-seal", "unimac", "x-chacha20poly1305", 64 * miB, "", memory},
	{"the same, opened ¹", "stream-formats-open", "unimac", "x-chacha20poly1305", 64 * miB, "", memory},
	{"BLAKE2b with a key, 16 KiB", "blake2b", "unimac", "x-crypto", 16 * kiB, "", cached},
	{"Poly1305, 16 KiB", "poly1305", "unimac", "x-crypto", 16 * kiB, "", cached},
	{"SSH, chacha20-poly1305, Accelerate", "ssh", "unimac-chacha20-poly1305", "chacha20-poly1305", miB, "", twoCores},
	{work: "packets of 1420 bytes, vendor", program: "packets: seal and open 1420 bytes in place"},
	{work: "wireguard-go, its Throughput, vendor", program: "wireguard-go: its benchmark Throughput, a packet", condition: twoCores},
	{work: "age, encrypt 1 GB to a file, vendor", program: "age: encrypt 1074 MB", condition: twoFiles},
	{work: "age, decrypt 1 GB to a file, vendor", program: "age: decrypt 1074 MB", condition: twoFiles},
	{work: "age, encrypt 1 GB to /dev/null, vendor", program: "age: encrypt 1074 MB to /dev/null", condition: twoFiles},
	{work: "age, decrypt 1 GB to /dev/null, vendor", program: "age: decrypt 1074 MB to /dev/null", condition: twoFiles},
	{work: "rclone crypt, encrypt 500 MB, vendor", program: "rclone: crypt, encrypt 537 MB", condition: twoFiles},
	{work: "rclone crypt, decrypt 500 MB, vendor", program: "rclone: crypt, decrypt 537 MB", condition: twoFiles},
	{work: "nacl/box, 16 KiB, vendor", program: "saltpack: seal and open a box of 16 KiB"},
	{work: "SFTP server, get 500 MB, vendor", program: "go-sftp-server: OpenSSH's sftp, get 537 MB", condition: twoFiles},
	{work: "SFTP server, put 500 MB, vendor", program: "go-sftp-server: OpenSSH's sftp, put 537 MB", condition: twoFiles},
}

// multiplesOf returns two multiples for each element of rows: with the best kernels,
// and with AVX2 alone. A multiple is NaN if it was not measured.
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

// Overview draws multiples of x/crypto's speed, in a panel for each processor.
func Overview(all []*record.Record) []byte {
	height := titleHeight + 22 + barHeight*float64(len(rows)) + bottomMargin + 16
	panel := (barsWidth - labelWidth) / float64(min(len(all), 2))
	d := newDrawing(labelWidth+panel*float64(len(all)), height)
	d.title("Multiples of the speed of golang.org/x/crypto", "virtual machines", "sealing unless a row says opened; one core and data in its cache unless a footnote says otherwise")
	high := 1.0
	for _, r := range all {
		for _, m := range multiplesOf(r) {
			high = max(high, orOne(m[0]), orOne(m[1]))
		}
	}
	for i, r := range all {
		multiples := multiplesOf(r)
		left := labelWidth + panel*float64(i)
		p := &plot{drawing: d, left: left, right: left + panel - valueWidth, top: titleHeight + 22, bottom: height - bottomMargin - 16}
		p.x = func(v float64) float64 { return p.left + (p.right-p.left)*v/high }
		p.legend(r.Name+" (inferred)", r.Level(), "AVX2 alone")
		p.axes("times as fast as x/crypto", "", evenTicks(high), nil)
		for k, row := range rows {
			y := p.top + barHeight*float64(k)
			if i == 0 {
				p.text("", p.left-8, y+barHeight/2+4, end, row.work+string(row.condition))
			}
			p.multiples(y, multiples[k][0], multiples[k][1])
		}
		p.line("one", p.x(1), p.top, p.x(1), p.bottom, "")
	}
	d.text("note", 12, height-8, start, footnotes)
	return d.bytes()
}

func orOne(v float64) float64 {
	if math.IsNaN(v) {
		return 1
	}
	return v
}

func (p *plot) legend(name, best, lower string) {
	p.text("axis", p.left, p.top-22, start, name)
	p.bar("own", p.left, p.top-15, 12, 9)
	p.text("", p.left+17, p.top-6, start, best)
	p.bar(lowerLevel, p.left+150, p.top-15, 12, 9)
	p.text("", p.left+167, p.top-6, start, lower)
}

func (p *plot) multiples(y, best, lower float64) {
	switch {
	case math.IsNaN(best):
		p.text("note", p.x(1)+6, y+19, start, "not measured")
	case math.IsNaN(lower):
		p.multiple("own", y+8, best)
	default:
		p.multiple("own", y+3, best)
		p.multiple(lowerLevel, y+15, lower)
	}
}

func (p *plot) multiple(class string, y, v float64) {
	const width = 32.0 // of the figure
	p.bar(class, p.left, y, p.x(v)-p.left, 11)
	x := p.x(v)
	if one := p.x(1); x < one && x+6+width > one {
		x = one
	}
	p.text("", x+6, y+9.5, start, fmt.Sprintf("%.2f", v))
}
