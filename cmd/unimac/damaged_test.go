// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

// A salvage is the expected result of open -damaged. It is computed by comparing the
// damaged file with the original: a chunk is authentic if its bytes are unchanged and
// at the same offset.
type salvage struct {
	content []byte // with zeros in place of missing parts
	missing string // messages about missing parts
	saved   int    // number of authentic chunks
	whole   bool   // the end is intact
}

func salvaged(original, damaged, content []byte, header, size, tag int) (s salvage) {
	cut := func(file []byte) (chunks [][]byte) {
		for rest := file[header:]; len(rest) > 0; rest = rest[min(size+tag, len(rest)):] {
			chunks = append(chunks, rest[:min(size+tag, len(rest))])
		}
		return chunks
	}
	was, is := cut(original), cut(damaged)
	from := -1
	for i, chunk := range append(is, nil) {
		if i < len(is) && len(chunk) < tag {
			continue
		}
		intact := i < len(is) && i < len(was) && bytes.Equal(chunk, was[i])
		if from >= 0 && (intact || i == len(is)) && from < len(s.content) {
			s.missing += fmt.Sprintf("unimac open: sealed: bytes %d to %d of the content are missing\n", from, len(s.content)-1)
			from = -1
		}
		switch {
		case i == len(is):
		case intact:
			s.content = append(s.content, content[i*size:][:len(chunk)-tag]...)
			s.saved++
			from = -1
		default:
			if from < 0 {
				from = len(s.content)
			}
			s.content = append(s.content, make([]byte, len(chunk)-tag)...)
		}
	}
	s.whole = len(is) == len(was) && bytes.Equal(is[len(is)-1], was[len(was)-1])
	return s
}

// layout returns the sizes of the header, a chunk and a tag in format f.
func layout(f stream.Format) (header, size, tag int) {
	if f == stream.UnimacV2 {
		return 64, 64 << 10, 32
	}
	return 56, 16 << 10, 16
}

// TestSalvage opens damaged files of each format: 100, or 1000 with UNIMAC_TEST=whole.
func TestSalvage(t *testing.T) {
	workIn(t)
	for _, f := range sealedFormats {
		t.Run(formatName(f), func(t *testing.T) {
			header, size, tag := layout(f)
			rng := rand.New(rand.NewPCG(49, uint64(f)))
			args := []string{"open", "-k", "key", "-damaged", "-format", formatName(f), "sealed"}
			rounds := 100
			if mactest.Whole() {
				rounds = 1000
			}
			statuses := map[int]int{}
			for range rounds {
				content := mactest.Random(rng.IntN(3*size), rng.Uint64())
				if rng.IntN(4) == 0 {
					content = content[:len(content)/size*size]
				}
				original := []byte(runWith(string(content), "seal", "-k", "key", "-format", formatName(f)).Stdout)
				damaged := damage(rng, bytes.Clone(original), header, size+tag)
				writeFile(t, "sealed", string(damaged))
				want := salvaged(original, damaged, content, header, size, tag)
				r := runWith("", args...)
				statuses[r.Status]++
				switch {
				case want.whole && want.missing == "":
					r.Want(t, 0, string(content), "")
				case want.saved == 0 && !want.whole:
					wrong := "wrong key or -context"
					if f != stream.UnimacV2 {
						wrong = "wrong key, -context or -format"
					}
					r.Want(t, 1, "", "unimac open: sealed: "+wrong+", or the file is damaged at its beginning\n")
				default:
					stderr := want.missing
					if !want.whole {
						stderr += fmt.Sprintf("unimac open: sealed: the end is missing or damaged, so the content may have had more or fewer than %d bytes\n", len(want.content))
					}
					if r.Status != 3 || r.Stdout != string(want.content) || r.Stderr != stderr {
						t.Errorf("%d bytes, truncated or extended to %d: got status %d, %d bytes, stderr %q, want status 3, %d bytes, stderr %q", len(original), len(damaged), r.Status, len(r.Stdout), r.Stderr, len(want.content), stderr)
					}
				}
				if t.Failed() {
					return
				}
			}
			if statuses[0] == 0 || statuses[1] == 0 || statuses[3] < rounds/4 {
				t.Errorf("number of runs by status: %v, want each of 0, 1 and, for a quarter of the runs, 3", statuses)
			}
		})
	}
}

// damage returns file with random damage after the header.
func damage(rng *rand.Rand, file []byte, header, stride int) []byte {
	at := header + rng.IntN(len(file)-header)
	switch rng.IntN(7) {
	case 0: // no damage
	case 1:
		file[at] ^= 1
	case 2:
		clear(file[at:min(at+4096, len(file))])
	case 3:
		file = file[:at]
	case 4:
		file = file[:header+(at-header)/stride*stride+rng.IntN(2)*rng.IntN(16)]
	case 5:
		file = append(file, mactest.Random(1+rng.IntN(stride), 7)...)
	case 6:
		file = append(file[:at:at], file[min(at+1, len(file)):]...)
	}
	return file
}

// TestSalvageFiles checks the outputs, ranges and inputs of open -damaged.
func TestSalvageFiles(t *testing.T) {
	workIn(t)
	content := string(vectors.Pattern(4 << 20))
	sealed := []byte(runWith(content, "seal", "-k", "key").Stdout)
	const first, last = 64 << 10, 2<<20 - 1
	for at := first; at <= last; at += 64 << 10 {
		sealed[64+at/(64<<10)*(64<<10+32)] ^= 1
	}
	writeFile(t, "a.sealed", string(sealed))
	want := content[:first] + strings.Repeat("\x00", last+1-first) + content[last+1:]
	const lost = ": bytes 65536 to 2097151 of the content are missing\n"
	runWith("", "open", "-k", "key", "-damaged", "-o", "out", "a.sealed").Want(t, 3, "", "unimac open: a.sealed"+lost)
	wantContent(t, "out", want)
	runWith("", "open", "-k", "key", "-damaged", "-o", "out", "a.sealed").Want(t, 1, "", "unimac open: out: exists already")
	runWith("", "open", "-k", "key", "-damaged", "a.sealed").Want(t, 3, want, "unimac open: a.sealed"+lost)

	// For several files, the status is that of the most serious error.
	writeFile(t, "b.sealed", string(sealed[:len(sealed)-1]))
	writeFile(t, "c.sealed", string(sealed[:70]))
	end := "the end is missing or damaged, so the content may have had more or fewer than 4194303 bytes\n"
	r := runWith("", "open", "-k", "key", "-damaged", "-suffix", ".sealed", "a.sealed", "b.sealed")
	r.Want(t, 3, "", "unimac open: a.sealed"+lost+"unimac open: b.sealed"+lost+"unimac open: b.sealed: bytes 4128768 to 4194302 of the content are missing\nunimac open: b.sealed: "+end)
	wantContent(t, "a", want)
	wantContent(t, "b", want[:4128768]+strings.Repeat("\x00", 65535))
	for _, order := range [][]string{{"c.sealed", "a.sealed"}, {"a.sealed", "c.sealed"}} {
		args := append([]string{"open", "-k", "key", "-damaged", "-f", "-suffix", ".sealed"}, order...)
		runWith("", args...).Want(t, 1, "", "unimac open: c.sealed: wrong key or -context")
	}
	if _, err := os.Stat("c"); err == nil {
		t.Error("open -damaged created an output for a file without authentic chunks")
	}

	for _, tt := range []struct {
		span, file     string
		status         int
		stdout, stderr string
	}{
		{"0:65536", "a.sealed", 0, content[:65536], ""},
		{"3000000:10", "a.sealed", 0, content[3000000:3000010], ""},
		{"65530:10", "a.sealed", 3, content[65530:65536] + "\x00\x00\x00\x00", "bytes 65536 to 65539 of the content are missing\n"},
		{"70000:10", "a.sealed", 3, strings.Repeat("\x00", 10), "bytes 70000 to 70009 of the content are missing\n"},
		{"2097150:", "a.sealed", 3, "\x00\x00" + content[2097152:], "bytes 2097150 to 2097151 of the content are missing\n"},
		{"4194304:0", "a.sealed", 0, "", ""},
		{"4194304:1", "a.sealed", 1, "", "the range exceeds the content, which has 4194304 bytes\n"},
		{"10:5", "b.sealed", 3, content[10:15], end},
		{"70000:10", "b.sealed", 1, "", "wrong key or -context, or the file is damaged at its beginning\n"},
		{"4194303:1", "b.sealed", 1, "", "the range exceeds the content, which has 4194303 bytes\n"},
	} {
		stderr := tt.stderr
		if stderr != "" {
			stderr = "unimac open: " + tt.file + ": " + stderr
		}
		runWith("", "open", "-k", "key", "-damaged", "-range", tt.span, tt.file).Want(t, tt.status, tt.stdout, stderr)
	}

	// A file sealed with a passphrase, and a file with a damaged header.
	writeFile(t, "pass", "correct horse\n")
	byPassphrase := []byte(runWith(content, "seal", "-passphrase-file", "pass").Stdout)
	byPassphrase[len(byPassphrase)-1] ^= 1
	writeFile(t, "p", string(byPassphrase))
	r = runWith("", "open", "-passphrase-file", "pass", "-damaged", "p")
	if r.Status != 3 || r.Stdout != content[:4128768]+strings.Repeat("\x00", 65536) {
		t.Errorf("passphrase: got status %d, %d bytes, stderr %q, want status 3 and zeros for the damaged chunk", r.Status, len(r.Stdout), r.Stderr)
	}
	for at, want := range map[int]string{0: "not in the format", 10: "wrong key", 40: "wrong key"} {
		sealed[at] ^= 1
		runWith("", "open", "-k", "key", "-damaged", "-o", "none", writeFile(t, "h", string(sealed))).Want(t, 1, "", "unimac open: h: "+want)
		sealed[at] ^= 1
	}
	// Inputs that do not support random access.
	runReader(bytes.NewReader(sealed), "open", "-k", "key", "-damaged", "-o", "none").Want(t, 1, "", "unimac open: -: -range and -damaged need the name of a regular file, not a pipe, a device or standard input\n")
	if _, err := os.Stat("none"); err == nil {
		t.Error("open left an output after an error")
	}
	writeFile(t, "empty", runWith("", "seal", "-k", "key").Stdout)
	runWith("", "open", "-k", "key", "-damaged", "empty").Want(t, 0, "", "")
	// Standard output fails.
	var stderr bytes.Buffer
	if status := cli.Run(root(), []string{"open", "-k", "key", "-damaged", "a.sealed"}, nil, failingWriter{}, &stderr); status != 1 || stderr.String() != "unimac open: standard output: no space left\n" {
		t.Errorf("full standard output: got status %d, stderr %q, want status 1 and a write error", status, &stderr)
	}
}
