// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/cmd/unimac/internal/cli"
	"github.com/unimac/unimac/cmd/unimac/internal/cli/clitest"
	"github.com/unimac/unimac/internal/cpu"
	"github.com/unimac/unimac/internal/impl"
	"github.com/unimac/unimac/internal/vectors"
)

// root is a tree of the command alone.
func root() *cli.Command { return &cli.Command{Name: "unimac", Sub: []*cli.Command{Command()}} }

func runWith(stdin string, args ...string) clitest.Result {
	return clitest.Run(root(), strings.NewReader(stdin), args...)
}

func TestSelftest(t *testing.T) {
	inUse := map[string]string{}
	for _, pkg := range impl.Packages() {
		inUse[pkg] = impl.InUse(pkg)
	}
	r := runWith("", "selftest")
	r.Want(t, 0, "umac ", "")
	for _, l := range cpu.Levels() {
		if !strings.Contains(r.Stdout, l.String()) {
			t.Errorf("%s is not shown", l)
		}
	}
	for _, test := range selfTests {
		for _, name := range impl.List(test.pkg) {
			row := findRow(r.Stdout, test.pkg, name)
			want := "ok"
			if !impl.Available(test.pkg, name) {
				want = "not on this machine"
			}
			if !strings.Contains(row, want) || strings.Contains(row, "yes") != (name == impl.InUse(test.pkg)) {
				t.Errorf("%s, %s: row %q", test.pkg, name, row)
			}
		}
	}
	for pkg, name := range inUse {
		if got := impl.InUse(pkg); got != name {
			t.Errorf("%s: %s in use afterwards, was %s", pkg, got, name)
		}
	}
}

func findRow(table, pkg, name string) string {
	for row := range strings.Lines(table) {
		if f := strings.Fields(row); len(f) > 2 && f[0] == pkg && f[1] == name {
			return row
		}
	}
	return ""
}

// The package fake has implementations of nothing, and a test that fakeTest
// decides.
var (
	fakeOn impl.Choice

	fakeTest = func() error { return nil }
)

// lacking is what no processor has that this one is like.
func lacking() cpu.Level {
	if cpu.NEON.Available() {
		return cpu.SSE41
	}
	return cpu.NEON
}

func init() {
	impl.Register("fake", &fakeOn, cpu.AMD64, lacking())
	selfTests = append(selfTests, selfTest{"fake", func() error { return fakeTest() }})
}

// fakeAlone has all tests pass at once except that of fake, which is the last.
func fakeAlone(t *testing.T) {
	saved := selfTests
	t.Cleanup(func() { selfTests = saved })
	selfTests = slices.Clone(saved)
	for i := range selfTests[:len(selfTests)-1] {
		selfTests[i].run = func() error { return nil }
	}
}

// TestSelftestFails runs a test that fails for one of several implementations.
func TestSelftestFails(t *testing.T) {
	saved := fakeTest
	t.Cleanup(func() { fakeTest = saved })
	fakeAlone(t)
	var ran []string
	fakeTest = func() error {
		ran = append(ran, impl.InUse("fake"))
		if fakeOn.Level == cpu.AMD64 {
			return errWrongAnswer
		}
		return nil
	}
	r := runWith("", "selftest")
	r.Want(t, 1, "FAILED", "unimac selftest: fake, amd64: wrong answer\n")
	for name, want := range map[string]string{strings.ToLower(lacking().String()): "not on this machine", "amd64": "FAILED yes", "generic": "ok"} {
		row := strings.Fields(findRow(r.Stdout, "fake", name))
		if len(row) < 3 || strings.Join(row[2:], " ") != want {
			t.Errorf("%s: row %q, want %s", name, row, want)
		}
	}
	if want := []string{"amd64", "generic"}; !slices.Equal(ran, want) {
		t.Errorf("ran with %q, want %q", ran, want)
	}
	if fakeOn != (impl.Choice{Level: cpu.AMD64, Kind: cpu.ThisKind()}) {
		t.Error("the implementations are not as they were")
	}
}

// TestSelftestMissing has a package with implementations and no test.
func TestSelftestMissing(t *testing.T) {
	fakeAlone(t)
	selfTests = selfTests[:len(selfTests)-1]
	runWith("", "selftest").Want(t, 1, "umac ", "unimac selftest: fake has implementations and no test\n")
}

// TestWrongUMACAnswers changes each answer: the test has to notice each.
func TestWrongUMACAnswers(t *testing.T) {
	saved := umacAnswers
	t.Cleanup(func() { umacAnswers = saved })
	if err := testUMAC(); err != nil {
		t.Fatal(err)
	}
	for i := range saved {
		for _, field := range []func(a *umacAnswer) *string{
			func(a *umacAnswer) *string { return &a.tag32 },
			func(a *umacAnswer) *string { return &a.tag64 },
			func(a *umacAnswer) *string { return &a.tag },
		} {
			umacAnswers = []umacAnswer{saved[i]}
			tag := field(&umacAnswers[0])
			*tag = changed(*tag)
			if testUMAC() == nil {
				t.Errorf("row %d: %s passes for the tag", i, *tag)
			}
		}
	}
}

// changed returns hexadecimal digits of which the last is another one.
func changed(digits string) string {
	last := len(digits) - 1
	if digits[last] == '0' {
		return digits[:last] + "1"
	}
	return digits[:last] + "0"
}

// TestWrongAnswers changes each answer of the other tests, too.
func TestWrongAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		answers *[]knownTag
		test    func() error
	}{
		"poly1305":   {&poly1305Answers, testPoly1305},
		"multimixer": {&multimixerAnswers, testMultimixer},
		"blake2b":    {&blake2bAnswers, testBLAKE2b},
	} {
		saved := *tt.answers
		if err := tt.test(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i, a := range saved {
			a.tag = changed(a.tag)
			*tt.answers = []knownTag{a}
			if err := tt.test(); !errors.Is(err, errWrongAnswer) {
				t.Errorf("%s: row %d: %s passes for the tag, %v", name, i, a.tag, err)
			}
		}
		*tt.answers = saved
	}
	savedDigest, savedStream := multimixerDigest, chacha20Answers
	t.Cleanup(func() { multimixerDigest, chacha20Answers = savedDigest, savedStream })
	for i := range multimixerDigest {
		multimixerDigest[i]++
		if err := testMultimixer(); !errors.Is(err, errWrongAnswer) {
			t.Errorf("multimixer: digest word %d: %v", i, err)
		}
		multimixerDigest = savedDigest
	}
	for _, field := range []*string{&chacha20Answers.block, &chacha20Answers.sum} {
		*field = changed(*field)
		if err := testChaCha20(); !errors.Is(err, errWrongAnswer) {
			t.Errorf("chacha20: %s passes, %v", *field, err)
		}
		chacha20Answers = savedStream
	}
}

// TestWrongAnswersAbove changes each answer of the packages that stand on others.
func TestWrongAnswersAbove(t *testing.T) {
	savedMAC, savedAEAD, savedStream := multimacAnswers, aeadAnswers, streamAnswers
	t.Cleanup(func() { multimacAnswers, aeadAnswers, streamAnswers = savedMAC, savedAEAD, savedStream })
	for _, test := range []func() error{testMultiMAC, testAEAD, testStream} {
		if err := test(); err != nil {
			t.Error(err)
		}
	}
	for _, a := range savedMAC {
		a.tag = changed(a.tag)
		multimacAnswers = []multimacAnswer{a}
		if err := testMultiMAC(); !errors.Is(err, errWrongAnswer) {
			t.Errorf("multimac: %s passes, %v", a.tag, err)
		}
	}
	for _, a := range savedAEAD {
		a.sum = changed(a.sum)
		aeadAnswers = []aeadAnswer{a}
		if err := testAEAD(); !errors.Is(err, errWrongAnswer) {
			t.Errorf("aead: %s passes, %v", a.sum, err)
		}
	}
	for _, a := range savedStream {
		for _, field := range []*string{&a.file, &a.key} {
			before := *field
			*field = changed(before)
			streamAnswers = []streamAnswer{a}
			if err := testStream(); !errors.Is(err, errWrongAnswer) {
				t.Errorf("stream: %s passes, %v", *field, err)
			}
			*field = before
		}
	}
}

// TestChaCha20Poly1305Answers makes the answers by x/crypto, and changes each.
func TestChaCha20Poly1305Answers(t *testing.T) {
	saved := chachaAnswers
	t.Cleanup(func() { chachaAnswers = saved })
	for _, a := range saved {
		var in [3][]byte
		for i, text := range []string{a.key, a.nonce, a.ad} {
			in[i], _ = hex.DecodeString(text)
		}
		c, err := chacha20poly1305.New(in[0])
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(c.Seal(nil, in[1], pattern(a.n), in[2])); hex.EncodeToString(sum[:]) != a.sum {
			t.Errorf("%d bytes: SHA-256 %x", a.n, sum)
		}
		a.sum = changed(a.sum)
		chachaAnswers = []chachaAnswer{a}
		if err := testChaCha20Poly1305(); !errors.Is(err, errWrongAnswer) {
			t.Errorf("chacha20poly1305: %s passes, %v", a.sum, err)
		}
	}
}

// TestAnswersAboveOfTestdata looks these up.
func TestAnswersAboveOfTestdata(t *testing.T) {
	type list struct {
		Key1, Key2, Tag vectors.Hex
		Inputs          []vectors.Message
	}
	lists := vectors.Load[list](t, "multimac.json")
	for _, a := range multimacAnswers {
		if !slices.ContainsFunc(lists, func(v list) bool {
			return hex.EncodeToString(v.Key1) == a.key1 && hex.EncodeToString(v.Tag) == a.tag
		}) {
			t.Errorf("no tag %s", a.tag)
		}
	}
	type sealed struct {
		Algorithm                                      string
		Key, Nonce, AD, Salt                           vectors.Hex
		TagSize, ChunkLog2                             int
		Msg                                            vectors.Message
		Ciphertext, CiphertextSHA256, File, FileSHA256 vectors.Hex
	}
	type chunked struct {
		AEAD               string
		Key, Salt, Context vectors.Hex
		Message            vectors.Message
		Head, Sealed, End  vectors.Hex
		SealedSHA256       vectors.Hex `json:"sealed_sha256"`
	}
	aeads, streams := vectors.Load[sealed](t, "aead.json"), vectors.Load[sealed](t, "stream.json")
	for _, v := range vectors.Load[chunked](t, "chunked.json") {
		streams = append(streams, sealed{Key: v.Key, File: v.Sealed})
	}
	for _, a := range aeadAnswers {
		if !slices.ContainsFunc(aeads, func(v sealed) bool {
			return hex.EncodeToString(v.Key) == a.key && hex.EncodeToString(v.CiphertextSHA256) == a.sum
		}) {
			t.Errorf("no ciphertext %s", a.sum)
		}
	}
	for _, a := range streamAnswers {
		if !slices.ContainsFunc(streams, func(v sealed) bool {
			return hex.EncodeToString(v.Key) == a.key && hex.EncodeToString(v.File) == a.file
		}) {
			t.Errorf("no stream %s", a.file)
		}
	}
}

// TestAnswersOfTestdata looks the answers up.
func TestAnswersOfTestdata(t *testing.T) {
	type test struct {
		Key, Tag vectors.Hex
		Size     int
		Msg      vectors.Message
	}
	for file, answers := range map[string][]knownTag{
		"poly1305.json":       poly1305Answers,
		"multimixer_mac.json": multimixerAnswers,
		"blake2b.json":        blake2bAnswers,
	} {
		tests := vectors.Load[test](t, file)
		for _, a := range answers {
			if a.text == "" && !slices.ContainsFunc(tests, func(v test) bool {
				return hex.EncodeToString(v.Key) == a.key && hex.EncodeToString(v.Tag) == a.tag && bytes.Equal(v.Msg.Bytes(), pattern(a.n))
			}) {
				t.Errorf("%s has no tag %s", file, a.tag)
			}
		}
	}
}

// TestChaCha20Stream makes the stream by x/crypto.
func TestChaCha20Stream(t *testing.T) {
	c, err := chacha20.NewUnauthenticatedCipher(pattern(32), []byte{3: 9, 7: 0x4a, 11: 0})
	if err != nil {
		t.Fatal(err)
	}
	c.SetCounter(1)
	stream := make([]byte, chacha20Answers.n)
	c.XORKeyStream(stream, stream)
	if sum := sha256.Sum256(stream); hex.EncodeToString(sum[:]) != chacha20Answers.sum {
		t.Errorf("the stream has SHA-256 %x", sum)
	}
}
