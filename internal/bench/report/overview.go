// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package report

import (
	"fmt"
	"math"

	"github.com/unimac/unimac/internal/speed"
)

// A comparison with x/crypto is a row of the overview: the best kernels, and those for AVX2.
type comparison struct {
	work        string
	best, lower float64 // NaN where there is none
}

// comparisons are about what people use x/crypto for.
func comparisons(r *speed.Record) (all []comparison) {
	const kiB, miB = 1 << 10, 1 << 20
	add := func(work, contest, ours, lower, peer string, size int) {
		all = append(all, comparison{work, r.Times(contest, ours, peer, size), r.Times(contest, lower, peer, size)})
	}
	add("ChaCha20-Poly1305, 64 bytes", "chacha20-poly1305-seal", "unimac", "unimac-avx2", "x-crypto", 64)
	add("ChaCha20-Poly1305, 1420 bytes", "chacha20-poly1305-seal", "unimac", "unimac-avx2", "x-crypto", 1420)
	add("ChaCha20-Poly1305, 16 KiB", "chacha20-poly1305-seal", "unimac", "unimac-avx2", "x-crypto", 16*kiB)
	add("128 packets of 256 bytes, SealBatch", "chacha20-poly1305-batch", "unimac", "unimac-avx2", "x-crypto", 256)
	add("ChaCha20-Poly1305-SIV, 16 KiB ¹", "chacha20-poly1305-siv-seal", "unimac", "unimac-avx2", "x-crypto", 16*kiB)
	add("stream, ChunkedChaCha20Poly1305 ¹", "stream-formats-seal", "unimac", "unimac-avx2", "x-chacha20poly1305", 64*miB)
	add("stream, UnimacV2, committing ¹", "stream-seal", "unimac", "unimac-avx2", "x-chacha20poly1305", 64*miB)
	add("BLAKE2b with a key, 16 KiB", "blake2b", "unimac", "unimac-avx2", "x-crypto", 16*kiB)
	add("Poly1305, 16 KiB", "poly1305", "unimac", "unimac-avx2", "x-crypto", 16*kiB)
	add("SSH, chacha20-poly1305, Accelerate", "ssh", "unimac-chacha20-poly1305", "unimac-chacha20-poly1305-avx2", "chacha20-poly1305", miB)
	for _, p := range shownPrograms {
		best, lower := r.ProgramHere(p.what)
		all = append(all, comparison{p.work, best, lower})
	}
	return all
}

var shownPrograms = []struct{ work, what string }{
	{"age, encrypt 1 GB, vendor", "age: encrypt 1074 MB to /dev/null"},
	{"nacl/secretbox, 500 MB by rclone, vendor", "rclone: crypt, decrypt 537 MB"},
	{"nacl/box, 16 KiB, vendor", "saltpack: seal and open a box of 16 KiB"},
	{"SFTP server, get 500 MB, vendor", "go-sftp-server: OpenSSH's sftp, get 537 MB"},
}

// Overview draws multiples of x/crypto's speed.
func Overview(r *speed.Record) []byte {
	var rows []comparison
	high := 1.0
	for _, c := range comparisons(r) {
		if !math.IsNaN(c.best) {
			rows = append(rows, c)
			high = max(high, c.best)
		}
	}
	height := titleHeight + 22 + barHeight*float64(len(rows)) + bottomMargin + 16
	d := newDrawing(chartWidth, height)
	d.text("title", 12, 23, start, "Multiples of the speed of golang.org/x/crypto")
	d.text("note", 12, 41, start, "one core, data in cache; SSH and SFTP: two cores")
	d.levels(r.Processor+", "+r.Level(), r.Processor+", AVX2")
	p := &plot{drawing: d, left: labelWidth, right: chartWidth - 70, top: titleHeight + 22, bottom: height - bottomMargin - 16}
	p.x = func(v float64) float64 { return p.left + (p.right-p.left)*v/high }
	p.axes("times as fast as x/crypto", "", evenTicks(high), nil)
	for k, c := range rows {
		y := p.top + barHeight*float64(k)
		p.text("", p.left-8, y+barHeight/2+4, end, c.work)
		p.multiples(y, c.best, c.lower)
	}
	p.line("one", p.x(1), p.top, p.x(1), p.bottom, "")
	p.text("note", 12, height-8, start, "¹ compared with x/crypto's ChaCha20-Poly1305, which does not commit to the key")
	return d.bytes()
}

// levels writes the legend of the two levels of the processor.
func (d *drawing) levels(best, lower string) {
	d.bar("own", 12, 52, 12, 9)
	d.text("", 29, 61, start, best)
	d.bar("p3", 340, 52, 12, 9)
	d.text("", 357, 61, start, lower)
}

// multiples draws bars for the two levels of the processor with their figures; the second may be NaN.
func (p *plot) multiples(y, best, lower float64) {
	if math.IsNaN(lower) {
		p.multiple("own", y+8, best)
		return
	}
	p.multiple("own", y+3, best)
	p.multiple("p3", y+15, lower)
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
