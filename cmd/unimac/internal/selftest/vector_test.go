// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/internal/vectors"
)

var update = flag.Bool("update", false, "write vectors.json")

func (d digits) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d), nil }

// TestVectorsFile generates vectors.json, which is embedded in the program, from
// x/crypto, testdata and RFCs, and compares it with the file. To update the file, run:
//
//	go test ./cmd/unimac/internal/selftest -run VectorsFile -update
func TestVectorsFile(t *testing.T) {
	c := &collection{seen: make(map[string]bool)}
	c.umac(t)
	c.tags(t)
	c.ciphers(t)
	c.aegis(t)
	c.multimac(t)
	c.aeads(t)
	c.streams(t)
	file := []byte("[\n" + strings.Join(c.lines, ",\n") + "\n]\n")
	if len(file) > 64<<10 {
		t.Errorf("vectors.json has %d bytes, want at most 64 KiB", len(file))
	}
	if *update {
		if err := os.WriteFile("vectors.json", file, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(file, bytes.ReplaceAll(vectorsFile, []byte("\r\n"), []byte("\n"))) {
		t.Error("vectors.json is out of date; run: go test ./cmd/unimac/internal/selftest -run VectorsFile -update")
	}
}

// A collection collects the lines of vectors.json.
type collection struct {
	lines []string
	seen  map[string]bool
}

// add adds a vector for msg. It skips msg if a vector of this length exists for the
// same code paths, or if msg would take too much space.
func (c *collection) add(v vector, msg []byte) {
	if v.Times == 0 && len(msg) > 0 {
		v.Start, v.Pattern = int(msg[0]), len(msg)
		if !bytes.Equal(v.message(), msg) {
			v.Start, v.Pattern, v.Msg = 0, 0, msg
		}
	}
	id := fmt.Sprint(v.Algorithm, v.Variant, v.TagSize, len(v.Want), v.Times, len(msg), len(v.Inputs))
	if v.Algorithm == "stream" {
		id += fmt.Sprintf("%x", v.Want[:8]) // contains the chunk size
	}
	near := slices.Contains([]int{15, 17, 31, 32, 33, 63, 65, 100, 111, 112, 8224, 20000}, len(msg)) // other tests compare the kernels
	if c.seen[id] || near || len(v.Msg) > 64 || v.Pattern > 2<<20 {
		return
	}
	c.seen[id] = true
	line, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	c.lines = append(c.lines, string(line))
}

// umac adds the test vectors of RFC 4418, the last one corrected by erratum 3507, and
// those of testdata. They reach the three code paths for hashing: up to 1 KiB, up to 16
// MiB, and above. A 96-bit tag is a prefix of the 128-bit tag.
func (c *collection) umac(t *testing.T) {
	for _, rfc := range []struct {
		msg                  string
		times                int
		tag32, tag64, tag128 string
	}{
		{"", 1, "113145fb", "6e155fad26900be1", "32fedb100c79ad58f07ff7643cc60465"},
		{"a", 3, "3b91d102", "44b5cb542f220104", "185e4fe905cba7bd85e4c2dc3d117d8d"},
		{"a", 1 << 10, "599b350b", "26bf2f5d60118bd9", "7a54abe04af82d60fb298c3cbd195bcb"},
		{"a", 1 << 15, "58dcf532", "27f8ef643b0d118d", "7b136bd911e4b734286ef2be501f2c3c"},
		{"a", 1 << 20, "db6364d1", "a4477e87e9f55853", "f8acfa3ac31cfeea047f7b115b03bef5"},
		{"abc", 1, "abf3a3a0", "d4d7b9f6bd4fbfcf", "883c3d4b97a61976ffcf232308cba5a5"},
		{"abc", 500, "abeb3c8b", "d4cf26ddefd5c01a", "8824a260c53c66a36c9260a62cb83aa1"},
		{"a", 1 << 25, "85ee5cae", "faca46f856e9b45f", "a621c2457c0012e64f3fdae9e7e1870c"},
	} {
		for _, tag := range []string{rfc.tag32, rfc.tag64, rfc.tag128[:24], rfc.tag128} {
			c.add(vector{
				Package: "umac", Algorithm: "UMAC", Key: digits("abcdefghijklmnop"), Nonce: digits("bcdefghi"),
				Msg: digits(rfc.msg), Times: rfc.times, Want: fromHex(tag),
			}, []byte(rfc.msg))
		}
	}
	for _, v := range vectors.Load[struct {
		Bits            int
		Key, Nonce, Tag vectors.Hex
		Msg             vectors.Message
	}](t, "umac.json") {
		c.add(vector{Package: "umac", Algorithm: "UMAC", Key: digits(v.Key), Nonce: digits(v.Nonce), Want: digits(v.Tag)}, v.Msg.Bytes())
	}
}

// tags adds the algorithms whose tags need no nonce: the example of RFC 8439, section
// 2.5.2, and a message whose hash exceeds the prime; Multimixer-128 of blocks with the
// largest possible words; the example of RFC 7693, appendix A; and the vectors of
// testdata.
func (c *collection) tags(t *testing.T) {
	c.add(vector{
		Package: "poly1305", Algorithm: "Poly1305", Key: fromHex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"),
		Want: fromHex("a8061dc1305136c6c22b8baf0c0127a9"),
	}, []byte("Cryptographic Forum Research Group"))
	c.add(vector{
		Package: "poly1305", Algorithm: "Poly1305", Key: append(digits{2}, make(digits, 31)...), Want: append(digits{3}, make(digits, 15)...),
	}, bytes.Repeat([]byte{0xff}, 16))
	type test struct {
		Key, Tag vectors.Hex
		Size     int
		Msg      vectors.Message
	}
	for _, v := range vectors.Load[test](t, "poly1305.json") {
		if r := v.Key[:16]; !bytes.Equal(r, make([]byte, 16)) {
			c.add(vector{Package: "poly1305", Algorithm: "Poly1305", Key: digits(v.Key), Want: digits(v.Tag)}, v.Msg.Bytes())
		}
	}
	// The digest of a block of f0 bytes under a key of 0f bytes: x_i and y_i are 2^32 -
	// 1, and u_i and v_i are 2^32 - 3. The digest of a message is the sum over its
	// blocks.
	for _, blocks := range []int{1, 2, 3, 255, 4096} {
		var digest digits
		for i := range 8 {
			digest = binary.LittleEndian.AppendUint64(digest, uint64(blocks)*[2]uint64{0xfffffffe00000001, 0xfffffffa00000009}[i/4])
		}
		c.add(vector{Package: "multimixer", Algorithm: "Multimixer-128", Key: digits{0x0f}, Msg: digits{0xf0}, Times: 32 * blocks, Want: digest}, nil)
	}
	for _, v := range vectors.Load[test](t, "multimixer_mac.json") {
		c.add(vector{Package: "multimixer", Algorithm: "MultiMixer", Key: digits(v.Key), Want: digits(v.Tag)}, v.Msg.Bytes())
	}
	c.add(vector{
		Package: "blake2b", Algorithm: "BLAKE2b",
		Want: fromHex("ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"),
	}, []byte("abc"))
	for _, v := range vectors.Load[test](t, "blake2b.json") {
		c.add(vector{Package: "blake2b", Algorithm: "BLAKE2b", Key: digits(v.Key), Want: digits(v.Tag)}, v.Msg.Bytes())
	}
}

// ciphers adds the keystream of RFC 8439, section 2.3.2, computed by x/crypto;
// HChaCha20 of draft-irtf-cfrg-xchacha-03, section 2.2.1; and ChaCha20-Poly1305,
// computed by x/crypto.
func (c *collection) ciphers(t *testing.T) {
	key, nonce := vectors.Pattern(32), []byte{3: 9, 7: 0x4a, 11: 0}
	for _, n := range []int{64, 64<<10 + 63} {
		s, err := chacha20.NewUnauthenticatedCipher(key, nonce)
		if err != nil {
			t.Fatal(err)
		}
		s.SetCounter(1)
		stream := make([]byte, n)
		s.XORKeyStream(stream, stream)
		c.add(vector{Package: "chacha20", Algorithm: "ChaCha20", Key: key, Nonce: nonce, Want: shortened(stream)}, vectors.Pattern(n))
	}
	if first := "10f1e7e4d13b5915500fdd1fa32071c4"; !strings.Contains(c.lines[len(c.lines)-2], first) {
		t.Errorf("the stream does not begin with %s", first)
	}
	c.add(vector{
		Package: "chacha20", Algorithm: "HChaCha20", Key: key, Nonce: fromHex("000000090000004a0000000031415927"),
		Want: fromHex("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"),
	}, nil)
	for _, variant := range []struct {
		name    string
		newAEAD func([]byte) (cipher.AEAD, error)
	}{{"ChaCha20-Poly1305", chacha20poly1305.New}, {"XChaCha20-Poly1305", chacha20poly1305.NewX}} {
		for _, n := range []int{1, 64, 256, 1000, 1420, 4096, 65537} {
			if n < 1000 && variant.name != "ChaCha20-Poly1305" {
				continue
			}
			key := vectors.Pattern(n%7 + 32)[n%7:]
			a, err := variant.newAEAD(key)
			if err != nil {
				t.Fatal(err)
			}
			nonce, ad := vectors.Pattern(50)[:a.NonceSize()], vectors.Pattern(13)
			sealed := a.Seal(nil, nonce, vectors.Pattern(n), ad)
			c.add(vector{Package: "chacha20poly1305", Algorithm: variant.name, Key: key, Nonce: nonce, AD: ad, Want: shortened(sealed)}, vectors.Pattern(n))
		}
	}
	for _, v := range vectors.Load[struct {
		Key, Nonce, Tag  vectors.Hex
		AD, Text         vectors.Message
		Ciphertext       vectors.Hex
		CiphertextSHA256 vectors.Hex `json:"ciphertext_sha256"`
	}](t, "chacha20poly1305siv.json") {
		if len(v.AD.Bytes()) > 64 {
			continue
		}
		text := v.Text.Bytes()
		if v.CiphertextSHA256 == nil {
			v.CiphertextSHA256 = vectors.Hex(shortened(v.Ciphertext))
		}
		c.add(vector{
			Package: "chacha20poly1305", Algorithm: "ChaCha20-Poly1305-SIV", Key: digits(v.Key), Nonce: digits(v.Nonce), AD: v.AD.Bytes(),
			Cut: len(text), Want: append(digits(v.CiphertextSHA256), v.Tag...),
		}, text)
	}
}

// aegis adds the messages and additional data of testdata. Its long messages do not
// follow Pattern.
func (c *collection) aegis(t *testing.T) {
	file := vectors.AEGIS(t)
	for variant := aegis.AEGIS128L; variant <= aegis.AEGIS256X4; variant++ {
		name := strings.ToLower(strings.TrimPrefix(variant.String(), "AEGIS-"))
		for _, v := range file.AEAD[name] {
			if v.CT != nil {
				v.CTHash = vectors.Hex(shortened(*v.CT))
			}
			if len(v.AD) > 64 || !slices.Contains([]int{0, 64, 1000, 4096}, len(v.Msg)) {
				continue
			}
			c.add(vector{
				Package: "aegis", Algorithm: "AEGIS", Variant: variant.String(), Key: digits(v.Key), Nonce: digits(v.Nonce), AD: digits(v.AD),
				TagSize: 32, Cut: len(v.Msg), Want: append(digits(v.CTHash), v.Tag256...),
			}, v.Msg)
		}
		for _, v := range file.MAC[name] {
			if !slices.Contains([]int{0, 257, 4096}, len(v.Data)) {
				continue
			}
			c.add(vector{Package: "aegis", Algorithm: "AEGISMAC", Variant: variant.String(), Key: digits(v.Key), Nonce: digits(v.Nonce), Want: digits(v.Tag128)}, v.Data)
		}
	}
}

// multimac adds a list for each tag size and number of inputs.
func (c *collection) multimac(t *testing.T) {
	for _, v := range vectors.Load[struct {
		Key1, Key2, Tag vectors.Hex
		Inputs          []vectors.Message
	}](t, "multimac.json") {
		list, size := vector{Package: "multimac", Algorithm: "MultiMAC", Key: digits(v.Key1), Nonce: digits(v.Key2), Want: digits(v.Tag)}, 0
		for _, input := range v.Inputs {
			list.Inputs = append(list.Inputs, input.Bytes())
			size += len(input.Bytes())
		}
		if size <= 100 {
			c.add(list, nil)
		}
	}
}

// aeads adds the sealed messages of the AEADs of package aead.
func (c *collection) aeads(t *testing.T) {
	for _, v := range vectors.Load[struct {
		Algorithm                  string
		Key, Nonce, AD, Ciphertext vectors.Hex
		CiphertextSHA256           vectors.Hex
		TagSize                    int
		Msg                        vectors.Message
	}](t, "aead.json") {
		want := digits(v.CiphertextSHA256)
		if v.Ciphertext != nil {
			want = shortened(v.Ciphertext)
		}
		if len(v.AD) <= 64 && (v.TagSize == 32 || v.Algorithm == "ChaCha20-BLAKE2b") {
			c.add(vector{
				Package: "chacha20blake2b", Algorithm: v.Algorithm, Key: digits(v.Key), Nonce: digits(v.Nonce), AD: digits(v.AD), TagSize: v.TagSize, Want: want,
			}, v.Msg.Bytes())
		}
	}
}

// streams adds streams of at most one byte.
func (c *collection) streams(t *testing.T) {
	add := func(format string, key, ad, file vectors.Hex, msg []byte) {
		if file != nil && len(msg) <= 1 {
			c.add(vector{Package: "stream", Algorithm: "stream", Variant: format, Key: digits(key), AD: digits(ad), Want: digits(file)}, msg)
		}
	}
	for _, v := range vectors.Load[struct {
		Key, Salt, AD, File, FileSHA256 vectors.Hex
		ChunkLog2                       int
		Msg                             vectors.Message
	}](t, "stream.json") {
		add("UnimacV2", v.Key, v.AD, v.File, v.Msg.Bytes())
	}
	formats := map[string]string{
		"AEAD_AES_128_GCM": "Cobblestone128", "AEAD_AES_256_GCM": "Cobblestone256",
		"AEAD_CHACHA20_POLY1305": "ChunkedChaCha20Poly1305", "AEAD_AEGIS256X2": "ChunkedAEGIS256X2",
	}
	for _, v := range vectors.Load[struct {
		AEAD               string
		Key, Salt, Context vectors.Hex
		Message            vectors.Message
		Head, Sealed, End  vectors.Hex
		SealedSHA256       vectors.Hex `json:"sealed_sha256"`
	}](t, "chunked.json") {
		add(formats[v.AEAD], v.Key, v.Context, v.Sealed, v.Message.Bytes())
	}
}

func fromHex(text string) digits {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

// shortened returns b as a vector contains it: long outputs are hashed.
func shortened(b []byte) digits {
	if sum := sha256.Sum256(b); len(b) > 64 {
		return sum[:]
	}
	return b
}
