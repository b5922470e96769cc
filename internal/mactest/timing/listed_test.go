// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package timing

// known lists fields and parameters that are public although values of their types may
// be secret, with the reason. No secret may be assigned to such a field.
var known = map[string]string{
	"blake2b.xof.offset":                     "number of output bytes so far",
	"blake2b.xof.total":                      "total number of output bytes",
	"blake2b.NewXOF:size":                    "total number of output bytes",
	"chacha20.Cipher.offset":                 "number of keystream bytes so far",
	"chacha20.(*Cipher).SetCounter:counter":  "number of blocks",
	"chacha20.(*Cipher).bufferBlocks:block":  "number of blocks",
	"internal/aegis.macGeneric:total":        "length of the hashed data",
	"internal/blake2b.Start.keySize":         "key length",
	"internal/blake2b.Start.size":            "digest length",
	"internal/blake2b.State.keySize":         "key length",
	"internal/blake2b.State.size":            "digest length",
	"internal/blake2b.State.t":               "number of bytes hashed",
	"internal/blake2b.lanes.t":               "number of bytes hashed in each lane",
	"internal/blake2b.compressGeneric:s":     "order of a round's words",
	"internal/chacha20.KeyStream:counter":    "number of blocks",
	"internal/chacha20.XORKeyStream:counter": "number of blocks",
	"internal/chacha20.xorGeneric:counter":   "number of blocks",
	"internal/umac.State.n":                  "number of chunks hashed",
}

const verdict = "whether a tag is correct, which is returned to the caller"

// listed lists, by function, the lines that branch on a possible secret, or that
// compute with one and contain a branch for another reason. Each line has a reason.
var listed = map[string]map[string]string{
	"aegis.(*MAC).Verify":         {"return subtle.ConstantTimeCompare(want[:m.size], tag) == 1": verdict},
	"internal/constanttime.Equal": {"return subtle.ConstantTimeEq(int32(different|different>>32), 0)": verdict},
	"multimac.(*Key).Verify":      {"return subtle.ConstantTimeCompare(k.Append(want[:0], inputs...), tag) == 1": verdict},
	"multimac.(*Key).VerifyBatch": {"right &= subtle.ConstantTimeCompare(want[i*k.size:][:k.size], tag)": verdict},
	"multimac.(*MAC).Verify":      {"return subtle.ConstantTimeCompare(m.Sum(want[:0]), tag) == 1": verdict},
	"multimac.NewKey":             {"subtle.ConstantTimeCompare(key1, key2) == 1": "whether the keys are equal, which is an error"},
	"multimixer.(*Key).Verify":    {"return subtle.ConstantTimeCompare(k.Sum(want[:0], msg), tag) == 1": verdict},
	"multimixer.(*MAC).Verify":    {"return subtle.ConstantTimeCompare(m.Sum(want[:0]), tag) == 1": verdict},
	"poly1305.(*MAC).Verify":      {"return subtle.ConstantTimeCompare(want[:], expected) == 1": verdict},
	"poly1305.Verify":             {"return subtle.ConstantTimeCompare(want[:], mac[:]) == 1": verdict},
	"umac.(*Key).Verify":          {"return subtle.ConstantTimeCompare(k.Sum(want[:0], nonce, msg), tag) == 1": verdict},
	"umac.(*Key).VerifyBatch":     {"right &= subtle.ConstantTimeCompare(want[i*size:][:size], tag)": verdict},
	"umac.(*MAC).Verify":          {"return subtle.ConstantTimeCompare(m.Sum(want[:0]), tag) == 1": verdict},

	"blake2b.(*digest).UnmarshalBinary": {"len(b) < len(blake2b.Magic) || string(b[:len(blake2b.Magic)]) != blake2b.Magic": "magic string of a marshaled state"},
	"internal/blake2b.(*State).Restore": {
		"r.t = number()":               "number of bytes hashed, from a marshaled state",
		"r.size = rest[0]":             "digest length, from a marshaled state",
		"r.n = int(rest[1+BlockSize])": "number of buffered bytes, from a marshaled state",
		"high != 0 || r.t >= 1<<63 || r.size < 1 || r.size > MaxSize || r.n > BlockSize": "lengths, from a marshaled state",
	},
	"internal/chacha20.xorGeneric":   {"initial[13] != uint32(counter>>32)": "upper half of the number of blocks"},
	"internal/umac.PadOf":            {"p.at = int(selector) * size": "last bits of the nonce"},
	"internal/umac.PadOf8":           {"p.at = int(selector) * size": "last bits of the nonce"},
	"internal/umac.(*CachedPad).Set": {"p.lo != k.lo || p.hi != k.hi": "whether two nonces share an AES block"},
}

// library lists conditions in inlined standard library functions. They depend on
// lengths or pointers, or belong to the loop of crypto/subtle.
var library = []string{
	"atomic.CompareAndSwapInt32(&m.state, 0, mutexLocked)",
	"err != nil",
	"func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool)",
	"func (x *Pointer[T]) Load() *T { return (*T)(LoadPointer(&x.v)) }",
	"func (x *Pointer[T]) Store(val *T) { StorePointer(&x.v, unsafe.Pointer(val)) }",
	"func (x *Pointer[T]) Swap(new *T) (old *T) { return (*T)(SwapPointer(&x.v, unsafe.Pointer(new))) }",
	"i := 0; i < len(x); i++",
	"len(x) != len(y)",
	"n < 0",
	"n > 0",
	"new != 0",
	"new := atomic.AddInt32(&m.state, -mutexLocked)",
	"s = append(s[:cap(s)], make([]E, n)...)[:len(s)]",
	"return &errorString{text}", // errors.New's write barrier
	"return append(b,",
	"return enabled && !isBypassed()",
	"i := 0; i < len(s); i += n",
	"!yield(s[i : i+end : i+end])",
	"hashes[h] = f",
	"end := min(n, len(s[i:]))",
}
