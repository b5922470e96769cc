// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package bounds proves that sums and products in plain Go code do not overflow, as the
// prover does for assembly. Only tests import this package.
//
// A test models the code with values of type [Int], each of which has an upper bound. A
// single run of the model bounds the results for all inputs, because sums, products and
// shifts of natural numbers are monotonic, and masking limits a result. Models of loops
// run until the bounds no longer grow.
package bounds

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// Int is an immutable natural number with an upper bound.
type Int struct{ Value, Bound *big.Int }

// New returns an Int with the given value and bound.
func New(value, bound uint64) Int {
	return Int{new(big.Int).SetUint64(value), new(big.Int).SetUint64(bound)}
}

// Word returns n with the bound 2^64 - 1.
func Word(n uint64) Int { return New(n, math.MaxUint64) }

// Wide returns n with the bound 2^bits - 1.
func Wide(n *big.Int, bits uint) Int { return Int{n, mask(bits)} }

func mask(bits uint) *big.Int {
	power := new(big.Int).Lsh(big.NewInt(1), bits)
	return power.Sub(power, big.NewInt(1))
}

// Add returns x + y.
func (x Int) Add(y Int) Int {
	return Int{new(big.Int).Add(x.Value, y.Value), new(big.Int).Add(x.Bound, y.Bound)}
}

// Mul returns x·y.
func (x Int) Mul(y Int) Int {
	return Int{new(big.Int).Mul(x.Value, y.Value), new(big.Int).Mul(x.Bound, y.Bound)}
}

// Times returns x·n.
func (x Int) Times(n uint64) Int { return x.Mul(New(n, n)) }

// Shr returns x shifted right by n bits.
func (x Int) Shr(n uint) Int {
	return Int{new(big.Int).Rsh(x.Value, n), new(big.Int).Rsh(x.Bound, n)}
}

// Low returns the lowest n bits of x.
func (x Int) Low(n uint) Int {
	z := Int{new(big.Int).And(x.Value, mask(n)), mask(n)}
	if x.Bound.Cmp(z.Bound) < 0 {
		z.Bound = x.Bound
	}
	return z
}

// Log contains the bounds that Fits has recorded.
type Log struct {
	Err    error               // describes the first bound with too many bits
	bounds map[string]*big.Int // the largest bound for each name
}

// Fits records the bound of x under name and returns x. It also records an error if the
// bound does not fit in the given number of bits.
func (l *Log) Fits(name string, x Int, bits uint) Int {
	if l.bounds == nil {
		l.bounds = map[string]*big.Int{}
	}
	if x.Value.Cmp(x.Bound) > 0 {
		panic(fmt.Sprintf("bounds: %s is %v, above its bound %v", name, x.Value, x.Bound))
	}
	if l.bounds[name] == nil || x.Bound.Cmp(l.bounds[name]) > 0 {
		l.bounds[name] = x.Bound
	}
	if x.Bound.BitLen() > int(bits) && l.Err == nil {
		l.Err = fmt.Errorf("%s may need %d bits, want at most %d", name, x.Bound.BitLen(), bits)
	}
	return x
}

// Check reports an error if l.Err is set or if a recorded bound differs from want,
// which maps names to log2(bound + 1), rounded up to two decimal places.
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
