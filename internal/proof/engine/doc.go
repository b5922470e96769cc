// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

// Package engine executes functions on terms and proves what statements claim about them. A
// statement is a Kernel, and each of its variants is proven separately. In a Note, it
// records what a path has computed. No other package changes the state of a run.
//
// # Why a proof is sound
//
// A term is built from leaves. A leaf is an input of the function or an unknown. An
// assignment gives each leaf a number that satisfies all facts known about the leaf: its
// bounds and the congruences that Setup declares. A leaf is public if two executions with
// the same public inputs assign the same number to it.
//
// A symbolic state determines some of the registers, flags and bytes of memory, and
// contains a term for each of them. Under an assignment, it represents a concrete state of
// the machine if each register, flag and byte that it determines holds the number to which
// the assignment evaluates its term. A path of the proof executes the function on symbolic
// states.
//
// The claim is proven by induction over the steps of an execution. The hypothesis is that,
// at each step, a path of the proof and an assignment exist under which the path's symbolic
// state represents the concrete state. Each of the following rules preserves the
// hypothesis.
//
// A check that is not satisfied panics, so no check can be ignored. All places are
// forgotten by the functions in rule_assertion.go: an unknown for a forgotten place belongs
// to one moment of a path, so a path never gets it twice.
//
// Entry (rule_paths.go). The first symbolic state contains what Setup and the calling
// convention state. Everything else in it is a separate leaf. The state therefore
// represents every concrete state in which callers may enter the function.
//
// Instruction (rule_paths.go, rule_match.go). The meaning of an instruction computes on
// terms what the processor computes on numbers. A path covers some lengths. If public facts
// decide a branch in the same way for all of these lengths, the path follows the branch.
// Otherwise, the path is split, and all parts are followed. Each memory access lies in one
// object, at a known offset, for all sizes that the object may have. If buffers may
// overlap, the order of accesses is checked, so that the function computes the same as for
// separate buffers. A buffer that may overlap an output is read-only. If it starts at
// another address, loads from it may find what the function has stored, so Setup states
// nothing about its contents. A called segment's accesses are checked in the same way.
//
// Weakening (rule_assertion.go). An assertion contains unknowns. Each unknown represents a
// term: the contents of a place, which is a register or a memory location, or a term that
// the assertion states. Four conditions are checked: each leaf of a term has a number, each
// term lies within the bounds of its unknown, each term is public if its unknown is public,
// and Where accepts the terms. Places name no other leaves. If Setup states a congruence
// about an unknown, there must be a Where, which is trusted to check it. A path binds each
// unknown only once, and none that its states have contained before. The length is never
// bound, because paths from a loop's head do not cover all lengths. So the assignment can
// be extended: the unknown gets the number of its term. Then the unknowns replace their
// terms in the places of the assertion, for the rest of the path or during one instruction.
// Under the extended assignment, the state that results still represents the concrete
// state. Statements may use the facts that were checked, and no others.
//
// Call of a segment (rule_match.go, rule_call.go). A segment is proven once and called by
// several variants. The assertion at the call states where the segment's buffers are, and
// the full contents of each place in Enter, so the statement says from which inputs the
// segment computes its results. The segment's leaf for an initial byte represents the byte
// that the caller's buffer contains at the call. A match assigns a term of the caller to
// each other leaf of Setup and Enter. Every fact that Setup and Enter state is compared
// with the caller's state: arguments, contents, sizes, places, bounds, publicity,
// alignment, which objects may be stored to, and which may overlap. An empty buffer may
// lie anywhere if its address is within its bounds. The segment may therefore start in the
// caller's concrete state, and its own proof applies: the segment ends at its label, has
// stored only where its proof observed stores, and satisfies Spec and Exit. Exit names
// bytes inside objects, and counts as an access to them, so the segment has not stored
// them in another object. Setup, Enter and Exit name no leaf of the caller, so each leaf
// is matched unless no place depends on it. The bounds of a leaf that is not matched allow
// some number. Memory that the segment may store to is writable for the caller, even if it
// is restored. The caller forgets everything that was observed to be written, including
// the frame's aligned part: each place contains a new unknown, to which the assignment
// gives the place's number. The unknown is secret, even if a public value was stored. The
// caller counts the accesses of the segment and of segments inside it. A byte that the
// segment stores outside the frame becomes a leaf named after the call, the segment's
// object and the offset, unless the caller has stored it before, because the segment may
// then keep it. Only a call binds such a leaf. No other call on the path has the same
// name, nor has a call of another segment on any path. A Spec that names this leaf thereby
// demands that this call stores the byte or keeps its initial value. A call may have
// several cases, each for some values of public inputs, because the cases may take
// different branches. In a case, such an input is a constant or a new unknown with these
// values. The cases must cover all values of the inputs, and Exit must state the same in
// all of them.
//
// Loop (rule_loop.go). Let H be the state in which the loop's head is first reached. The
// invariant is built from H: the places that a weakening lists are replaced by new
// unknowns, or grow with the number of iterations. On arrival, this number is 0, so the
// invariant represents the concrete state. One iteration is executed from the invariant.
// After the iteration, each path's state is compared with the invariant for the rest of the
// work, in which each input is replaced by the term of inputs that Advance states. If nothing
// differs, the invariant also represents the state after the iteration, for the inputs of
// the rest. Places that a weakening replaced by unknowns need no comparison. Places in the
// statement's Invariant are checked as in a weakening: on arrival for all of the work, and
// after the iteration for the rest, whose inputs are different and whose buffers start
// later. In both checks, the unknowns must be new on arrival. Buffers that may overlap
// advance by the same number of bytes, or in a direction in which their distance grows, so
// the order of accesses that was checked for one iteration is right for all of them: no
// iteration stores more of such a buffer than it finishes. A memory word may grow only if
// nothing stores to it, so that just its term changes. The memory that the iteration has
// finished is compared with Spec, which names there no unknown or result of a call that the
// iteration has bound, because the next iteration binds it to another number. Each input of
// the rest satisfies what Setup states about it: bounds, publicity and alignment are
// checked, and an input that a congruence mentions must not change: it is neither the
// length nor a byte of a buffer whose rest begins later. Only lengths from the minimum on
// reach the head, so the length of the rest is not below the minimum. The rest of a buffer
// is shorter by a constant, which is at least the number of bytes by which it begins later.
// It contains the bytes that follow, which are compared with what Setup states about the
// buffer. The rest of an output ends where the output ends, so Spec describes every byte that
// no iteration finishes. The rest is shorter by Step, so the induction on the length applies:
// what is proven from the head for the rest is true of the whole. The paths from the head to
// the end are proven for all residues modulo Step of the lengths that callers pass.
//
// Return (rule_paths.go). Each byte of writable memory outside the frame contains what Spec
// states, is unchanged since entry, or is left open by Spec. After iterations, the terms on
// a path are those of the rest of the work. Therefore, a byte counts as unchanged only if
// its term on entry is the same for the rest. This includes the frame, where iterations may
// leave secrets. A segment also counts as having written each register and byte whose term
// at the loop's head is not that on entry. Exit states only terms that are the same for the
// rest. A byte that Spec leaves open is public, or Left has checked it, or callers keep it
// secret. If the function must leave no secret, each byte stored in the frame is public. A
// Spec that names an unknown is satisfied only on a path that has bound the unknown,
// because no other state contains it.
//
// Secrets. Two executions with the same public inputs take the same branches and access the
// same addresses, because each branch and each address depends on public leaves alone.
//
// # What is trusted
//
// The argument relies on the files rule_*.go, the packages machine, term and algebra, the
// meanings of instructions, and the functions Setup, Spec, Advance, Left, Exit and Where of
// each statement. The other files do not compose proofs:
//
//   - propose.go chooses where a path claims an assertion, which terms unknowns represent,
//     where a loop's head is, which places the invariant forgets, and the terms for a
//     segment's leaves. It changes states only through claim. rule_assertion.go,
//     rule_loop.go and rule_match.go check what it chooses.
//   - case.go, specification.go and kernel.go are the language of statements. They are
//     trusted to declare what their comments say: memory, what it must contain, and the
//     comparisons that Where and Left make.
//   - session.go proves every part of a kernel, and segments before their callers. It is
//     trusted to leave none out, to declare constant data as the linker lays it out, and
//     to reject instructions that the level in a function's name does not include.
//   - Messages, digests and observers only read states.
package engine
