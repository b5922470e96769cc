// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package engine executes functions on terms and proves what statements claim of them. It
// alone changes the state of a run.
//
// # Why a proof is sound
//
// A symbolic state consists of terms over leaves: the function's inputs, and unknowns. An
// assignment of numbers to the leaves must satisfy all facts that are known of leaves:
// their bounds, and the congruences that Setup declares. Under such an assignment, a
// symbolic state represents a concrete state of the machine if each register, flag and
// byte that the symbolic state determines has the number of its term. A leaf is public if
// two executions with the same public inputs assign the same number to it.
//
// The claim is proven by induction over the steps of an execution: at each step there is
// an assignment under which the symbolic state of some path represents the concrete state.
//
// Entry (rule_entry.go). The first state contains what Setup and the calling convention
// state. Everything else in it is a leaf of its own, so it represents every state in which
// callers may enter the function.
//
// Instruction (rule_paths.go, rule_overlap.go). The meaning of an instruction computes on
// terms what the processor computes on numbers. A branch is decided by public facts that
// hold for all values of the parameter for which the path is run; otherwise the path is
// split. An access lies in one object, at a known offset, for all sizes that the object
// may have. If buffers may overlap, the order of accesses ensures that the overlap cannot
// be noticed.
//
// Weakening (rule_assertion.go). An assertion reads unknowns from places, or states which
// terms they represent. The bounds of each unknown, whether it is public, and Where are
// checked for these terms. A path binds each unknown only once, so the assignment can be
// extended by the numbers of the terms. Then unknowns replace their terms, in the places
// of the assertion, everywhere, or during one instruction, and the extended assignment
// still represents the state. Statements may use the facts that were checked, and no
// others.
//
// Cut (rule_cut.go). Where a segment of the function ends, its assertion is checked as
// above. Besides, no memory may have been stored that the assertion does not mention, and
// if the function must leave no secret, the rest of the frame must be public. The next
// segment starts in a state built from the same data. Everything else in this state is a
// new unknown, to which the assignment gives the number that the place contains. Registers
// are the same as on entry only if they are the same on all arriving paths.
//
// Call of a segment (rule_match.go, rule_cases.go, rule_call.go). A match assigns a term of
// the caller to each leaf of the segment's Setup and Enter. Every fact that Setup and Enter
// state is compared with the caller's state: arguments, contents, sizes, places, bounds,
// publicity, alignment, which objects may be stored to, and which may overlap. So the
// segment may start in the caller's concrete state, and its proof shows that it ends at its
// label, has stored only where it was observed to store, and satisfies Spec and Exit. The
// caller forgets everything that was observed to be written. A stored byte becomes a leaf
// named after the call, the segment's object and the offset. A Spec that names this leaf
// thereby demands that this call has stored the byte. If a call names cases, they cover all
// values of the inputs.
//
// Loop (rule_loop.go). The state at the loop's head is built from the state H in which the
// head is first reached. Places that a weakening lists are replaced by new unknowns, or
// grow with the number of turns, which is 0 on arrival: so the new state represents the
// arrival. After a turn, each path's state is compared with the state at the head in which
// each input is replaced by what Advance states for the rest of the work. If nothing
// differs, the state at the head also represents the state after the turn, for the inputs
// of the rest. The memory that the turn has finished is compared with Spec. The length is
// less by Step, so the induction on the length applies: what is proven from the head for
// the rest is true of the whole. All residues of lengths that callers pass are proven from
// the head.
//
// Return (rule_return.go). Each byte of writable memory is what Spec states, or was never
// changed, or is one that Spec leaves open. Such a byte is public, or Left has checked it,
// or callers keep it secret. A Spec that names an unknown is satisfied only on a path that
// has bound it, because no other state contains it.
//
// Secrets. Two executions with the same public inputs take the same branches and access
// the same addresses, because each branch and address depends on public leaves alone.
//
// # What is trusted
//
// The argument relies on the files rule_*.go, and on the meanings of instructions, the
// packages term and algebra, and of each statement Setup, Spec, Advance, Left, Exit and
// Where. It does not rely on the rest of the package: propose_loop.go chooses the loop's
// head and the places that it forgets, and propose_match.go the terms for a segment's
// unknowns, which rule_loop.go and rule_match.go check. Other files contain the types with
// which statements are written, sessions, messages, digests and observers.
package engine
