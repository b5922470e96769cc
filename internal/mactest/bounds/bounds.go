// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package bounds shows that sums and products in plain Go fit their words; of the assembly,
// the prover shows it. Only tests import it.
//
// A model of the code takes its steps on an [Int], a number that knows the largest number it
// could have been. Sums, products and shifts of natural numbers never shrink when an operand
// grows, and a cut leaves at most its mask, so that a run of the model shows for all inputs
// that nothing overflows. A loop runs until the bounds of what it passes on do not grow.
package bounds

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// Int is a natural number and a bound that it does not pass. Ints are values: no
// method changes one.
type Int struct{ Value, Most *big.Int }

// New is a number that is at most most.
func New(value, most uint64) Int {
	return Int{new(big.Int).SetUint64(value), new(big.Int).SetUint64(most)}
}

// Word is any number of 64 bits.
func Word(n uint64) Int { return New(n, math.MaxUint64) }

// Wide is any number of so many bits.
func Wide(n *big.Int, bits uint) Int { return Int{n, mask(bits)} }

func mask(bits uint) *big.Int {
	power := new(big.Int).Lsh(big.NewInt(1), bits)
	return power.Sub(power, big.NewInt(1))
}

// Add returns x + y.
func (x Int) Add(y Int) Int {
	return Int{new(big.Int).Add(x.Value, y.Value), new(big.Int).Add(x.Most, y.Most)}
}

// Mul returns x·y.
func (x Int) Mul(y Int) Int {
	return Int{new(big.Int).Mul(x.Value, y.Value), new(big.Int).Mul(x.Most, y.Most)}
}

// Times returns x·n.
func (x Int) Times(n uint64) Int { return x.Mul(New(n, n)) }

// Shr returns x without its n lowest bits, moved down.
func (x Int) Shr(n uint) Int {
	return Int{new(big.Int).Rsh(x.Value, n), new(big.Int).Rsh(x.Most, n)}
}

// Low returns the n lowest bits of x.
func (x Int) Low(n uint) Int {
	z := Int{new(big.Int).And(x.Value, mask(n)), mask(n)}
	if x.Most.Cmp(z.Most) < 0 {
		z.Most = x.Most
	}
	return z
}

// Log collects what a model says of its numbers: the largest bound by each name, and the
// first that has more bits than it may.
type Log struct {
	Err    error
	bounds map[string]*big.Int
}

// Fits says that x, by that name, must fit in so many bits, and returns it.
func (l *Log) Fits(name string, x Int, bits uint) Int {
	if l.bounds == nil {
		l.bounds = map[string]*big.Int{}
	}
	if x.Value.Cmp(x.Most) > 0 {
		panic(fmt.Sprintf("bounds: %s is %v, above its bound %v", name, x.Value, x.Most))
	}
	if l.bounds[name] == nil || x.Most.Cmp(l.bounds[name]) > 0 {
		l.bounds[name] = x.Most
	}
	if x.Most.BitLen() > int(bits) && l.Err == nil {
		l.Err = fmt.Errorf("%s may have %d bits, and has room for %d", name, x.Most.BitLen(), bits)
	}
	return x
}

// Check reports an error, and every bound that is not the one in want, which is that of a
// power of two rounded up to hundredths.
func (l *Log) Check(t testing.TB, want map[string]float64) {
	t.Helper()
	if l.Err != nil {
		t.Error(l.Err)
	}
	for name, bound := range l.bounds {
		n, _ := new(big.Float).SetInt(new(big.Int).Add(bound, big.NewInt(1))).Float64()
		if got := math.Ceil(math.Log2(n)*100-1e-9) / 100; got != want[name] {
			t.Errorf("%s is below 2^%.2f, want 2^%.2f", name, got, want[name])
		}
	}
}
