// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//go:build !gc || purego || !amd64

package chacha20poly1305

import "math"

// LaneLimits returns that no number of packets is enough: there is no kernel.
func LaneLimits(nonce int) (packets, text int) { return math.MaxInt, 0 }

// LanesPay reports that Lanes, which is none, is not faster.
func LanesPay(nonce, n, longest, blocks int) bool { return false }

// Lanes works on several packets at once. There is no kernel.
type Lanes struct{}

func NewLanes() *Lanes                                      { panic("chacha20poly1305: no kernel") }
func (*Lanes) Free()                                        {}
func (*Lanes) RestoreKey()                                  {}
func (*Lanes) SetKey(*[KeySize]byte)                        {}
func (*Lanes) SetText(i int, dst, src, ad []byte)           {}
func (*Lanes) SetNonce(i int, nonce *[NonceSize]byte)       {}
func (*Lanes) SetNonceX(i int, nonce *[24]byte)             {}
func (*Lanes) SetNonceSIV(i int, nonce *[NonceSizeSIV]byte) {}
func (*Lanes) SetTagSIV(i int, tag *[TagSizeSIV]byte)       {}
func (*Lanes) SealSIV(n int)                                {}
func (*Lanes) OpenSIV(n int)                                {}
func (*Lanes) PutTagSIV(tag *[TagSizeSIV]byte, i int)       {}
func (*Lanes) Derive(n int)                                 {}
func (*Lanes) Seal(n int)                                   {}
func (*Lanes) Open(n int)                                   {}
func (*Lanes) Tag(i int) *[TagSize]byte                     { return nil }
