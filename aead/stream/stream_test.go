// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

var (
	testKey  = mactest.Random(32, 1)
	testSalt = [saltSize]byte(mactest.Random(saltSize, 2))

	// goroutines are what everything is tested with.
	goroutines = []int{1, 2, 5}
)

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		goroutines = []int{1, 3}
		// Each stream takes jobs anew: to collect them seldom saves a third of the time.
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

func TestVectors(t *testing.T) {
	type test struct {
		Key, Salt, AD, File, FileSHA256 vectors.Hex
		ChunkLog2                       int
		Msg                             vectors.Message
	}
	long := 0
	for i, v := range vectors.Load[test](t, "stream.json") {
		salt := [saltSize]byte(v.Salt)
		o := Options{AdditionalData: v.AD, ChunkSize: 1 << v.ChunkLog2}
		gs, piece := goroutines, 1000
		if v.Msg.Len() > 1<<22 {
			long++
			if testing.Short() {
				continue
			}
			gs, piece = goroutines[1:2], 1<<20
		}
		for _, o.Concurrency = range gs {
			file := sealWith(t, v.Key, &salt, o, piece, v.Msg.Bytes())
			if sum := sha256.Sum256(file); !bytes.Equal(sum[:], v.FileSHA256) {
				t.Errorf("test %d: wrong file", i)
			}
			if len(v.File) > 0 && !bytes.Equal(file, v.File) {
				t.Errorf("test %d: file %x, want %x", i, file, []byte(v.File))
			}
			if n := o.SealedSize(int64(v.Msg.Len())); n != int64(len(file)) {
				t.Errorf("test %d: SealedSize %d, want %d", i, n, len(file))
			}
			for name, open := range openers {
				if got, err := open(v.Key, file, o); err != nil || !bytes.Equal(got, v.Msg.Bytes()) {
					t.Errorf("test %d: %s gives %d bytes, %v", i, name, len(got), err)
				}
			}
		}
	}
	if long != 1 {
		t.Errorf("%d vectors have more chunks than 16 bits count, want 1", long)
	}
}

// TestReference compares with the definition around the ends of chunks and of
// what a goroutine gets, for writes of all sizes.
func TestReference(t *testing.T) {
	for _, tt := range []struct {
		e       int
		lengths []int
	}{
		{10, []int{0, 1, 1023, 1024, 1025, 2048, 2049, 5000, 100 << 10}},
		{16, []int{65535, 65536, 65537, 1<<19 - 1, 1 << 19, 1<<19 + 1, 1 << 20, 1<<20 + 1, 3<<20 + 5}},
		{20, []int{1<<20 - 1, 1 << 20, 1<<20 + 1, 3<<20 + 9}},
	} {
		for i, n := range tt.lengths {
			if testing.Short() && tt.e > 10 && i%2 == 0 {
				continue
			}
			plaintext := mactest.Random(n, 3)
			want := refSeal(t, testKey, &testSalt, tt.e, plaintext)
			eachOpener(testKey, want, Options{}, func(how string, got []byte, err error) {
				if err != nil || !bytes.Equal(got, plaintext) {
					t.Fatalf("e %d, %d bytes: %s: %d bytes, %v", tt.e, n, how, len(got), err)
				}
			})
			for _, g := range goroutines {
				pieces := []int{999, 32 << 10, 1<<19 - 1, 1 << 19, 1<<19 + 1, 1 << 30}
				if testing.Short() {
					pieces = []int{1<<19 + 1}
				}
				for _, piece := range pieces {
					if got := seal(t, testKey, &testSalt, tt.e, g, piece, plaintext); !bytes.Equal(got, want) {
						t.Fatalf("e %d, %d bytes in pieces of %d, %d goroutines: wrong file", tt.e, n, piece, g)
					}
				}
			}
		}
	}
}

// TestPublic uses what is exported alone: other salts each time, chunks of 64 KiB.
func TestPublic(t *testing.T) {
	plaintext := mactest.Random(200001, 4)
	var files [2]bytes.Buffer
	for i := range files {
		w, err := NewWriter(&files[i], testKey)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := w.Write(plaintext); n != len(plaintext) || err != nil {
			t.Fatal(n, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file := files[i].Bytes()
		if len(file) != 64+len(plaintext)+4*32 || !bytes.HasPrefix(file, []byte("unimac2\x10")) || int64(len(file)) != SealedSize(int64(len(plaintext))) {
			t.Errorf("%d bytes that begin with %q", len(file), file[:8])
		}
		if want := refSeal(t, testKey, (*[saltSize]byte)(file[8:]), 16, plaintext); !bytes.Equal(file, want) {
			t.Error("wrong file")
		}
		r, err := NewReader(bytes.NewReader(file), testKey)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		at, err := NewReaderAt(bytes.NewReader(file), int64(len(file)), testKey)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(io.NewSectionReader(at, 0, at.Size())); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
	if bytes.Equal(files[0].Bytes()[8:32], files[1].Bytes()[8:32]) {
		t.Error("two files have one salt")
	}
}

func TestKeyErrors(t *testing.T) {
	file := refSeal(t, testKey, &testSalt, 10, nil)
	for n := range 70 {
		want := "<nil>"
		if n != 32 {
			want = fmt.Sprintf("stream: key of %d bytes, want 32", n)
		}
		key := append(bytes.Clone(testKey), make([]byte, 70)...)[:n]
		if w, err := NewWriter(io.Discard, key); fmt.Sprint(err) != want || (w == nil) != (err != nil) {
			t.Errorf("NewWriter with a key of %d bytes: %v, want %s", n, err, want)
		}
		if r, err := NewReader(bytes.NewReader(file), key); fmt.Sprint(err) != want || (r == nil) != (err != nil) {
			t.Errorf("NewReader with a key of %d bytes: %v, want %s", n, err, want)
		}
		if r, err := NewReaderAt(bytes.NewReader(file), int64(len(file)), key); fmt.Sprint(err) != want || (r == nil) != (err != nil) {
			t.Errorf("NewReaderAt with a key of %d bytes: %v, want %s", n, err, want)
		}
	}
}

// checkGoroutines waits until no more goroutines run than before.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
