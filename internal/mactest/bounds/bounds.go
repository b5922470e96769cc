// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package bounds shows that a kernel's sums and products fit their registers.
// Only tests import it.
//
// A model of the kernel in plain Go takes its steps on an [Int], a number that
// knows the largest number it could have been. Sums, products and shifts of
// natural numbers never shrink when an operand grows, and a cut leaves at most its
// mask, so that bounds of the operands give one of the result, and a run of the
// model shows for all inputs that nothing overflows. A loop runs until the bounds
// of what it passes on do not grow any more.
package bounds

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
)

// Int is a natural number and a bound that it does not pass. Ints are values: no
// method changes one.
type Int struct{ value, most *big.Int }

// New is a number that is at most most.
func New(value, most uint64) Int {
	return Int{new(big.Int).SetUint64(value), new(big.Int).SetUint64(most)}
}

// Constant is a number that is always the same.
func Constant(n uint64) Int { return New(n, n) }

// Word is any number of 64 bits.
func Word(n uint64) Int { return New(n, 1<<64-1) }

// Wide is any number of so many bits.
func Wide(n *big.Int, bits uint) Int {
	most := new(big.Int).Lsh(big.NewInt(1), bits)
	return Int{n, most.Sub(most, big.NewInt(1))}
}

func (x Int) both(f func(z, x *big.Int) *big.Int) Int {
	return Int{f(new(big.Int), x.value), f(new(big.Int), x.most)}
}

// Add returns x + y.
func (x Int) Add(y Int) Int {
	return Int{new(big.Int).Add(x.value, y.value), new(big.Int).Add(x.most, y.most)}
}

// Mul returns x·y.
func (x Int) Mul(y Int) Int {
	return Int{new(big.Int).Mul(x.value, y.value), new(big.Int).Mul(x.most, y.most)}
}

// Shl returns x·2^n.
func (x Int) Shl(n uint) Int {
	return x.both(func(z, x *big.Int) *big.Int { return z.Lsh(x, n) })
}

// Shr returns x without its n lowest bits, moved down.
func (x Int) Shr(n uint) Int {
	return x.both(func(z, x *big.Int) *big.Int { return z.Rsh(x, n) })
}

// Low returns the n lowest bits of x.
func (x Int) Low(n uint) Int {
	mask := new(big.Int).Lsh(big.NewInt(1), n)
	mask.Sub(mask, big.NewInt(1))
	z := Int{new(big.Int).And(x.value, mask), x.most}
	if mask.Cmp(x.most) < 0 {
		z.most = mask
	}
	return z
}

// Past returns x - 2^n, or 0 where x is smaller than 2^n.
func (x Int) Past(n uint) Int {
	power := new(big.Int).Lsh(big.NewInt(1), n)
	return x.both(func(z, x *big.Int) *big.Int {
		if z.Sub(x, power); z.Sign() < 0 {
			z.SetUint64(0)
		}
		return z
	})
}

// Uint64 is the number, which must fit in 64 bits.
func (x Int) Uint64() uint64 {
	if !x.value.IsUint64() {
		panic("bounds: " + x.value.String() + " has more than 64 bits")
	}
	return x.value.Uint64()
}

// Value is the number.
func (x Int) Value() *big.Int { return x.value }

// Most is the bound.
func (x Int) Most() *big.Int { return x.most }

// Log collects what a model says of its numbers.
type Log struct {
	err    error
	names  []string
	bounds map[string]*big.Int
	limits map[string]uint
}

// Fits says that x, by that name, must fit in so many bits, and returns it.
func (l *Log) Fits(name string, x Int, bits uint) Int {
	if l.bounds == nil {
		l.bounds, l.limits = map[string]*big.Int{}, map[string]uint{}
	}
	if l.bounds[name] == nil {
		l.names = append(l.names, name)
		l.bounds[name], l.limits[name] = x.most, bits
	}
	if x.most.Cmp(l.bounds[name]) > 0 {
		l.bounds[name] = x.most
	}
	if x.value.Cmp(x.most) > 0 {
		panic(fmt.Sprintf("bounds: %s is %v, above its bound %v", name, x.value, x.most))
	}
	if x.most.BitLen() > int(bits) && l.err == nil {
		l.err = fmt.Errorf("%s may be 2^%.2f, and has %d bits", name, log2(x.most), bits)
	}
	return x
}

// Err tells the first number that did not fit.
func (l *Log) Err() error { return l.err }

// Bound is the largest bound of the numbers by a name, as a power of 2 rounded up
// to hundredths.
func (l *Log) Bound(name string) string {
	if l.bounds[name] == nil {
		return "none"
	}
	return fmt.Sprintf("%.2f", log2(l.bounds[name]))
}

// Check reports an error, and every bound that is not the one that want has for its
// name, which is the text that stands next to the kernels.
func (l *Log) Check(t testing.TB, want map[string]string) {
	t.Helper()
	if l.err != nil {
		t.Error(l.err)
	}
	for name, bound := range want {
		if got := l.Bound(name); got != bound {
			t.Errorf("%s is below 2^%s, want 2^%s", name, got, bound)
		}
	}
	t.Logf("\n%v", l)
}

// String lists every name with its bound and how many bits it has.
func (l *Log) String() string {
	var b strings.Builder
	for _, name := range l.names {
		fmt.Fprintf(&b, "%-28s < 2^%s of %d\n", name, l.Bound(name), l.limits[name])
	}
	return b.String()
}

// log2 is the logarithm of n + 1, rounded up to hundredths: n < 2^log2(n).
func log2(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(new(big.Int).Add(n, big.NewInt(1))).Float64()
	return math.Ceil(math.Log2(f)*100-1e-9) / 100
}
