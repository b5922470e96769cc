// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package stream

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/unimac/unimac/internal/mactest"
	"github.com/unimac/unimac/internal/vectors"
)

var (
	testKey  = mactest.Random(32, 1)
	testSalt = [saltSize]byte(mactest.Random(saltSize, 2))

	// goroutines contains the numbers of goroutines with which all functions are
	// tested.
	goroutines = []int{1, 2, 5}
)

func TestMain(m *testing.M) {
	flag.Parse()
	if !mactest.Whole() {
		goroutines = []int{1, 3}
		// Each stream allocates new jobs. Collecting garbage less often saves a third
		// of the time.
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
				t.Errorf("test %d: the file has SHA-256 %x, want %x", i, sum, []byte(v.FileSHA256))
			}
			if len(v.File) > 0 && !bytes.Equal(file, v.File) {
				t.Errorf("test %d: got file %x, want %x", i, file, []byte(v.File))
			}
			if n := o.SealedSize(int64(v.Msg.Len())); n != int64(len(file)) {
				t.Errorf("test %d: SealedSize = %d, want %d", i, n, len(file))
			}
			for name, open := range openers {
				if got, err := open(v.Key, file, o); err != nil || !bytes.Equal(got, v.Msg.Bytes()) {
					t.Errorf("test %d: %s: got %d bytes, error %v, want the plaintext", i, name, len(got), err)
				}
			}
		}
	}
	if long != 1 {
		t.Errorf("%d vectors have more than 2^16 chunks, want 1", long)
	}
}

// TestChunkedVectors checks the known answers for the formats of
// c2sp.org/chunked-encryption.
func TestChunkedVectors(t *testing.T) {
	type test struct {
		AEAD               string
		Key, Salt, Context vectors.Hex
		Head, Sealed, End  vectors.Hex
		SealedSHA256       vectors.Hex `json:"sealed_sha256"`
		Message            vectors.Message
	}
	formats := map[string]Format{
		"AEAD_AES_128_GCM": Cobblestone128, "AEAD_AES_256_GCM": Cobblestone256, "AEAD_CHACHA20_POLY1305": ChunkedChaCha20Poly1305,
		"AEAD_AEGIS256X2": ChunkedAEGIS256X2,
	}
	seen := make(map[Format]int)
	for i, v := range vectors.Load[test](t, "chunked.json") {
		salt, msg := [saltSize]byte(v.Salt), v.Message.Bytes()
		o := Options{AdditionalData: v.Context, Format: formats[v.AEAD]}
		seen[o.Format]++
		for _, o.Concurrency = range goroutines {
			file := sealWith(t, v.Key, &salt, o, 10_000, msg)
			sum := sha256.Sum256(file)
			if !bytes.Equal(sum[:], v.SealedSHA256) || !bytes.HasPrefix(file, v.Head) || !bytes.HasSuffix(file, v.End) || len(v.Sealed) > 0 && !bytes.Equal(file, v.Sealed) {
				t.Errorf("test %d: got file with SHA-256 %x, want %x", i, sum, []byte(v.SealedSHA256))
			}
			if n := o.SealedSize(int64(len(msg))); n != int64(len(file)) {
				t.Errorf("test %d: SealedSize = %d, want %d", i, n, len(file))
			}
			for name, open := range openers {
				if got, err := open(v.Key, file, o); err != nil || !bytes.Equal(got, msg) {
					t.Errorf("test %d: %s: got %d bytes, error %v, want the plaintext", i, name, len(got), err)
				}
			}
		}
	}
	if len(seen) != 4 || seen[Cobblestone128] == 0 {
		t.Errorf("number of vectors by format: %v, want all formats", seen)
	}
}

// TestScriptUsage runs the Python implementation without arguments.
func TestScriptUsage(t *testing.T) {
	python := cmp.Or(os.Getenv("UNIMAC_TEST_PYTHON"), "python3")
	if _, err := exec.LookPath(python); err != nil {
		t.Skip(err)
	}
	out, err := exec.Command(python, filepath.Join("testdata", "stream.py")).CombinedOutput()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 1 || !strings.HasPrefix(string(out), "Usage: stream.py VECTORS.json") {
		t.Errorf("got error %v, output %q, want status 1 and the usage", err, out)
	}
}

// TestReference compares streams with the reference for lengths around the boundaries
// of chunks and jobs, and for writes of two sizes or, in whole mode, of more.
func TestReference(t *testing.T) {
	small := []int{0, 1, 1023, 1024, 1025, 2048, 2049, 5000, 100 << 10}
	large := []int{16383, 16384, 16385, 65535, 65536, 65537, 1<<19 - 1, 1 << 19, 1<<19 + 1, 1 << 20, 1<<20 + 1, 3<<20 + 5}
	for _, k := range append(append(smallKinds, largeKinds...), newKind(UnimacV2, 1<<20)) {
		lengths := small
		if k.size > MinChunkSize {
			lengths = large
		}
		for i, n := range lengths {
			if !mactest.Whole() && k.size > MinChunkSize && i%2 == 0 {
				continue
			}
			plaintext := mactest.Random(n, 3)
			want := k.refSeal(t, plaintext)
			k.eachOpener(want, func(how string, got []byte, err error) {
				if err != nil || !bytes.Equal(got, plaintext) {
					t.Fatalf("%s, %d bytes: %s: got %d bytes, error %v, want the plaintext", k.name, n, how, len(got), err)
				}
			})
			for _, g := range goroutines {
				pieces := []int{999, 1<<19 + 1}
				if mactest.Whole() {
					pieces = []int{999, 32 << 10, 1<<19 - 1, 1 << 19, 1<<19 + 1, 1 << 30}
				}
				for _, piece := range pieces {
					if got := k.seal(t, g, piece, plaintext); !bytes.Equal(got, want) {
						t.Fatalf("%s, %d bytes in pieces of %d, %d goroutines: the file differs from the reference", k.name, n, piece, g)
					}
				}
			}
		}
	}
}

// TestPublic uses only exported functions: each stream has another salt, and chunks of
// the default size.
func TestPublic(t *testing.T) { eachKind(t, largeKinds, testPublic) }

func testPublic(t *testing.T, k *kind) {
	plaintext, o, saltAt := mactest.Random(200001, 4), Options{Format: k.o.Format}, k.header-commitSize-saltSize
	var files [2]bytes.Buffer
	for i := range files {
		w, err := o.NewWriter(&files[i], k.key)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := w.Write(plaintext); n != len(plaintext) || err != nil {
			t.Fatalf("Write = %d, %v, want %d, nil", n, err, len(plaintext))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file := files[i].Bytes()
		if int64(len(file)) != o.SealedSize(int64(len(plaintext))) || !k.shortEnd() && !bytes.HasPrefix(file, []byte("unimac2\x10")) {
			t.Errorf("got a file of %d bytes that begins with %q, want %d bytes", len(file), file[:8], o.SealedSize(int64(len(plaintext))))
		}
		if want := k.refSealWith(t, (*[saltSize]byte)(file[saltAt:]), nil, plaintext); !bytes.Equal(file, want) {
			t.Error("the file differs from the reference")
		}
		r, err := o.NewReader(bytes.NewReader(file), k.key)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("Reader: got %d bytes, error %v, want the plaintext", len(got), err)
		}
		at, err := o.NewReaderAt(bytes.NewReader(file), int64(len(file)), k.key)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(io.NewSectionReader(at, 0, at.Size())); err != nil || !bytes.Equal(got, plaintext) {
			t.Errorf("ReaderAt: got %d bytes, error %v, want the plaintext", len(got), err)
		}
	}
	if bytes.Equal(files[0].Bytes()[saltAt:][:saltSize], files[1].Bytes()[saltAt:][:saltSize]) {
		t.Error("two files have the same salt")
	}
}

func TestKeyErrors(t *testing.T) { eachKind(t, largeKinds, testKeyErrors) }

func testKeyErrors(t *testing.T, k *kind) {
	file := k.refSeal(t, nil)
	for n := range 70 {
		want := "<nil>"
		if n != len(k.key) {
			want = fmt.Sprintf("stream: key of %d bytes, want %d", n, len(k.key))
		}
		key := append(bytes.Clone(k.key), make([]byte, 70)...)[:n]
		if w, err := k.o.NewWriter(io.Discard, key); fmt.Sprint(err) != want || (w == nil) != (err != nil) {
			t.Errorf("NewWriter with a key of %d bytes: got error %v, want %s", n, err, want)
		}
		if r, err := k.o.NewReader(bytes.NewReader(file), key); fmt.Sprint(err) != want || (r == nil) != (err != nil) {
			t.Errorf("NewReader with a key of %d bytes: got error %v, want %s", n, err, want)
		}
		if r, err := k.o.NewReaderAt(bytes.NewReader(file), int64(len(file)), key); fmt.Sprint(err) != want || (r == nil) != (err != nil) {
			t.Errorf("NewReaderAt with a key of %d bytes: got error %v, want %s", n, err, want)
		}
	}
}

// checkGoroutines waits until at most before goroutines are running.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines are running, want at most %d", runtime.NumGoroutine(), before)
}
