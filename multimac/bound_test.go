// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

package multimac

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/unimac/unimac/internal/blake2b"
	"github.com/unimac/unimac/internal/mactest"
)

// collisionBound is the documented collision bound for q lists of at most l inputs.
const collisionBound = "l · q² / 2^(8n+1)"

// TestCollisions counts collisions of a cascade with two-byte tags. Each list begins
// with its own number and continues with inputs that all lists share.
func TestCollisions(t *testing.T) {
	const size, lists, steps = 2, 200, 2400
	for _, inputs := range []int{1, 16, 64} {
		// The last step, under key2, is another step in which two lists can collide.
		// With one input, it causes half of the collisions.
		keyPairs := steps / (inputs + 1)
		count := 0
		for key := range uint64(keyPairs) {
			key1, key2 := mactest.Random(size, 2*key), mactest.Random(size, 2*key+1)
			k := &Key{&keys{size: size, initial: blake2b.New(size, key1), final: blake2b.New(size, key2)}}
			seen := make(map[[size]byte]int)
			for i := range lists {
				list := make([][]byte, inputs)
				list[0] = binary.LittleEndian.AppendUint32(mactest.Random(16, key), uint32(i))
				for j := range list[1:] {
					list[1+j] = []byte{byte(j)}
				}
				tag := [size]byte(k.Sum(list...))
				count += seen[tag]
				seen[tag]++
			}
		}
		want := float64(keyPairs) * float64(inputs+1) * lists * (lists - 1) / (1 << (8*size + 1))
		if got := float64(count); got < 0.85*want || got > 1.15*want {
			t.Errorf("%d inputs: %d collisions, want about %.0f", inputs, count, want)
		}
	}
}

// TestBoundIsDocumented checks that the package documentation states collisionBound.
func TestBoundIsDocumented(t *testing.T) {
	for _, name := range []string{"multimac.go", "../SECURITY.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), collisionBound) {
			t.Errorf("%s does not contain %q", name, collisionBound)
		}
	}
}
