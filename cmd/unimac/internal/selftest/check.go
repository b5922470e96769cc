// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package selftest

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/unimac/unimac/aead"
	"github.com/unimac/unimac/aead/stream"
	"github.com/unimac/unimac/aegis"
	"github.com/unimac/unimac/chacha20poly1305"
	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/chacha20"
	"github.com/unimac/unimac/multimac"
	"github.com/unimac/unimac/multimixer"
	"github.com/unimac/unimac/poly1305"
	"github.com/unimac/unimac/umac"
)

// pieceSize is the number of bytes per Write. It is large enough to exercise every
// kernel, and odd so that pieces start at every alignment.
const pieceSize = 4099

var errWrongAnswer = errors.New("wrong answer")

// check computes v's output in every supported way and compares it with v.Want.
func (v *vector) check() error {
	right, err := false, error(nil)
	switch msg := v.message(); v.Algorithm {
	case "BLAKE2b":
		right = v.checkBLAKE2b(msg)
	case "ChaCha20":
		right = v.checkChaCha20(msg)
	case "HChaCha20":
		var subkey [chacha20.KeySize]byte
		chacha20.HChaCha20(&subkey, (*[chacha20.KeySize]byte)(v.Key), (*[16]byte)(v.Nonce))
		right = v.right(subkey[:])
	case "Multimixer-128":
		var digest [multimixer.DigestSize]byte
		err = multimixer.Digest(&digest, bytes.Repeat(v.Key, max(1, v.Times)), msg)
		right = v.right(digest[:])
	case "MultiMAC":
		right, err = v.checkMultiMAC()
	case "UMAC", "Poly1305", "MultiMixer", "AEGISMAC":
		right, err = v.checkMAC(msg)
	case "stream":
		right, err = v.checkStream(msg)
	default:
		right, err = v.checkAEAD(msg)
	}
	if err == nil && !right {
		err = errWrongAnswer
	}
	if err != nil {
		return fmt.Errorf("%s, %d bytes: %w", v.Algorithm, len(v.message()), err)
	}
	return nil
}

type verifier interface {
	hash.Hash
	Verify(tag []byte) bool
}

func (v *vector) variant() aegis.Variant {
	variant := aegis.AEGIS128L
	for variant <= aegis.AEGIS256X4 && variant.String() != v.Variant {
		variant++
	}
	return variant
}

// mac returns a new MAC, to which the caller must write msg. tags holds msg's tags,
// computed by the package's one-shot functions.
func (v *vector) mac(msg []byte) (m verifier, tags [][]byte, err error) {
	switch v.Algorithm {
	case "UMAC":
		k, err := umac.NewKey(v.Key, len(v.Want))
		if err != nil {
			return nil, nil, err
		}
		pair := k.SumBatch(nil, [][]byte{v.Nonce, v.Nonce}, [][]byte{msg, msg})
		return k.New(v.Nonce), [][]byte{k.Sum(nil, v.Nonce, msg), pair[:len(v.Want)], pair[len(v.Want):]}, nil
	case "MultiMixer":
		k, err := multimixer.NewKey(v.Key, len(v.Want))
		if err != nil {
			return nil, nil, err
		}
		return k.New(), [][]byte{k.Sum(nil, msg)}, nil
	case "AEGISMAC":
		m, err := aegis.NewMAC(v.variant(), v.Key, v.Nonce, len(v.Want))
		return m, nil, err
	}
	var tag [poly1305.TagSize]byte
	poly1305.Sum(&tag, msg, (*[poly1305.KeySize]byte)(v.Key))
	return poly1305.New((*[poly1305.KeySize]byte)(v.Key)), [][]byte{tag[:]}, nil
}

func (v *vector) checkMAC(msg []byte) (bool, error) {
	m, tags, err := v.mac(msg)
	if err != nil {
		return false, err
	}
	for piece := range slices.Chunk(msg, pieceSize) {
		m.Write(piece)
	}
	wrong := func(tag []byte) bool { return !bytes.Equal(tag, v.Want) }
	return m.Verify(v.Want) && !slices.ContainsFunc(append(tags, m.Sum(nil)), wrong), nil
}

func (v *vector) checkMultiMAC() (bool, error) {
	key, err := multimac.NewKey(v.Key, v.Nonce)
	if err != nil {
		return false, err
	}
	var inputs [][]byte
	m := key.New()
	for _, input := range v.Inputs {
		inputs = append(inputs, input)
		for piece := range slices.Chunk(input, 17) {
			m.Write(piece)
		}
		m.Next()
	}
	return bytes.Equal(key.Sum(inputs...), v.Want) && m.Verify(v.Want) &&
		bytes.Equal(key.SumBatch(nil, inputs, inputs), append(bytes.Clone(v.Want), v.Want...)), nil
}

// checkBLAKE2b hashes msg alone, and at every position in batches of one to nine
// messages. The other messages in a batch are prefixes of msg. The widest kernel hashes
// eight messages at a time, so a batch of nine must be split.
func (v *vector) checkBLAKE2b(msg []byte) bool {
	sum := func(msg []byte, piece int) []byte {
		s := blake2b.New(len(v.Want), v.Key)
		for p := range slices.Chunk(msg, piece) {
			s.Write(p)
		}
		return s.Sum(nil)
	}
	if !bytes.Equal(sum(msg, pieceSize), v.Want) || !bytes.Equal(sum(msg, len(msg)+1), v.Want) {
		return false
	}
	for n := 1; n <= 9; n++ {
		for whole := range n {
			states, keys, msgs := make([]blake2b.State, n), make([][]byte, n), make([][]byte, n)
			var want []byte
			for i := range n {
				keys[i], msgs[i] = v.Key, msg[:len(msg)*i/n]
				if i == whole {
					msgs[i] = msg
				}
				want = append(want, sum(msgs[i], len(msg)+1)...)
			}
			blake2b.NewAll(states, len(v.Want), keys)
			blake2b.WriteAll(states, msgs)
			if !bytes.Equal(blake2b.SumAll(nil, states), want) {
				return false
			}
		}
	}
	return true
}

// checkChaCha20 generates len(msg) bytes of keystream in one call, and again in pieces
// of 1, 2, 3, … blocks.
func (v *vector) checkChaCha20(msg []byte) bool {
	key, nonce := (*[chacha20.KeySize]byte)(v.Key), (*[chacha20.NonceSizeRFC]byte)(v.Nonce)
	stream, pieces := make([]byte, len(msg)), make([]byte, len(msg))
	chacha20.KeyStream(stream, key, nonce, 1)
	for at, blocks := 0, 1; at < len(pieces); at, blocks = at+blocks*chacha20.BlockSize, blocks+1 {
		chacha20.KeyStream(pieces[at:min(len(pieces), at+blocks*chacha20.BlockSize)], key, nonce, 1+uint32(at/chacha20.BlockSize))
	}
	return v.right(stream) && bytes.Equal(stream, pieces)
}

func (v *vector) aead() (cipher.AEAD, error) {
	switch v.Algorithm {
	case "ChaCha20-Poly1305":
		return chacha20poly1305.New(v.Key)
	case "XChaCha20-Poly1305":
		return chacha20poly1305.NewX(v.Key)
	case "ChaCha20-Poly1305-SIV":
		return chacha20poly1305.NewSIV(v.Key)
	case "ChaCha20-BLAKE2b":
		return aead.NewWithTagSize(v.Key, v.TagSize)
	case "XChaCha20-BLAKE2b":
		return aead.NewXWithTagSize(v.Key, v.TagSize)
	case "XChaCha20-BLAKE2b-SIV":
		return aead.NewSIVWithTagSize(v.Key, v.TagSize)
	}
	return aegis.NewWithTagSize(v.variant(), v.Key, v.TagSize)
}

func (v *vector) checkAEAD(msg []byte) (bool, error) {
	c, err := v.aead()
	if err != nil {
		return false, err
	}
	sealed := c.Seal(nil, v.Nonce, msg, v.AD)
	opened, err := c.Open(nil, v.Nonce, sealed, v.AD)
	if err != nil || !bytes.Equal(opened, msg) || !v.right(sealed) {
		return false, nil
	}
	if v.Package == "chacha20poly1305" && !v.checkBatch(c, msg) {
		return false, nil
	}
	sealed[len(sealed)/2] ^= 1
	_, err = c.Open(nil, v.Nonce, sealed, v.AD)
	return err != nil, nil
}

// checkBatch seals and opens 17 packets, one more than the widest kernel processes at a
// time. The plaintexts are prefixes of msg.
func (v *vector) checkBatch(c cipher.AEAD, msg []byte) bool {
	packets := make([]chacha20poly1305.Packet, 17)
	for i := range packets {
		packets[i] = chacha20poly1305.Packet{Nonce: v.Nonce, Text: msg[:len(msg)*i/16], AdditionalData: v.AD}
	}
	chacha20poly1305.SealBatch(c, packets)
	for i, p := range packets {
		if !bytes.Equal(p.Dst, c.Seal(nil, v.Nonce, p.Text, v.AD)) {
			return false
		}
		packets[i].Dst, packets[i].Text = nil, p.Dst
	}
	opened, err := chacha20poly1305.OpenBatch(c, packets)
	return err == nil && opened == len(packets) && bytes.Equal(packets[16].Dst, msg)
}

// checkStream opens v's stream. It then seals a long message and opens the result. The
// sealed message cannot be compared with a known answer, because its salt is random.
func (v *vector) checkStream(msg []byte) (bool, error) {
	o := stream.Options{AdditionalData: v.AD, Format: stream.UnimacV2}
	for o.Format < stream.ChunkedAEGIS256X2 && o.Format.String() != v.Variant {
		o.Format++
	}
	open := func(file []byte) ([]byte, error) {
		r, err := o.NewReader(bytes.NewReader(file), v.Key)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	at, err := o.NewReaderAt(bytes.NewReader(v.Want), int64(len(v.Want)), v.Key)
	if err != nil || at.Size() != int64(len(msg)) {
		return false, err
	}
	if opened, err := open(v.Want); err != nil || !bytes.Equal(opened, msg) {
		return false, nil
	}
	var file bytes.Buffer
	w, err := o.NewWriter(&file, v.Key)
	if err != nil {
		return false, err
	}
	long := (&vector{Pattern: 1<<20 + 1}).message()
	for piece := range slices.Chunk(long, pieceSize) {
		w.Write(piece) // Close returns the error, too
	}
	if err := w.Close(); err != nil {
		return false, err
	}
	if opened, err := open(file.Bytes()); err != nil || !bytes.Equal(opened, long) {
		return false, nil
	}
	file.Bytes()[file.Len()/2] ^= 1
	_, err = open(file.Bytes())
	return errors.Is(err, stream.ErrAuth), nil
}
