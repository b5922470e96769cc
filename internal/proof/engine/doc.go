// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package engine runs functions on terms and proves what statements claim of them. It alone changes the state of a run.
//
// # Why a proof is sound
//
// A symbolic state consists of terms over leaves: the function's inputs, and unknowns. It represents a concrete state of
// the machine under an assignment of numbers to the leaves if each register, flag and byte that the symbolic state
// determines has the number of its term, and if the assignment satisfies all facts that are known of leaves: their bounds,
// and the congruences that Setup declares. A leaf is public if two executions with the same public inputs assign the same
// number to it.
//
// The claim is by induction over the steps of an execution: at each step there is an assignment under which the symbolic
// state of some path represents the concrete state.
//
// Instruction. The meaning of an instruction computes on terms what the processor computes on numbers. A branch is
// decided by public facts that hold for all values of the parameter for which the path is run, or the path is split. An
// access lies in one object, at a known offset, for all sizes that the object may have.
//
// Weakening. An assertion at a label reads unknowns from places, or says for which terms they stand. The bounds of each
// unknown, whether it is public, and Where are checked for these terms. Each unknown stands for one thing on a path, so the
// assignment is extended by the numbers of the terms. Then the places contain the unknowns, and the extended assignment
// still represents the state. Statements may use the facts that were checked, and no others.
//
// Cut. Where a segment of the function ends, its assertion is checked as above. Beyond the assertion it is checked that no
// other memory was stored to, and, if the function must leave no secret, that the rest of the frame is public. The next
// segment starts in a state that is built from the same data: everything else is a new unknown, to which the assignment
// gives the number that the place has. Registers are the same as on entry only if they are so on all arriving paths.
//
// Call of a segment. A match assigns to each leaf of the segment's Setup and Enter a term of the caller. Every fact that
// Setup and Enter state is compared with the caller's state: arguments, known contents, sizes, places, bounds, publicity,
// alignment, which objects may be stored to, and which may overlap. So the caller's concrete state is one in which the
// segment may start, and the proof of the segment says what follows: it ends at its label, has stored only where it was
// observed to store, and has what its Spec and Exit say. The caller forgets all that was observed. A byte that was stored
// is a leaf named after the call, the segment's object and the offset, so that a Spec which names this leaf says which
// call must have left it. If cases are named, each value of the named inputs belongs to a case for which this holds.
//
// Loop. The state at the head, H, is made of terms of the inputs. It represents the state where the head is first reached.
// After a turn from H the state is compared with H, in which each input is replaced by what Advance says that it is for the
// rest of the work; places that differ are forgotten in H, and the turn is taken again. What the turn has finished of
// memory is compared with Spec. The length is less by Step, so the induction on the length applies: what is proven from
// H for the rest is true of the whole. All residues of lengths that callers give are proven from H.
//
// Return. Each byte of writable memory is what Spec says, or was never changed, or is one that Spec leaves open: then it
// is public, or Left has checked it, or callers keep it secret. A Spec that names an unknown can be met only on a path that
// has bound it, as no other state contains it.
//
// Secrets. Two executions with the same public inputs take the same branches and access the same addresses, since each
// branch and address depends on public leaves alone.
//
// Not part of the argument: how the loop's head and its invariant are found, how a match is solved, digests and tables.
// Trusted besides: the meanings of instructions, term and algebra, Setup, Spec, Advance, Left, Exit and Where.
package engine
