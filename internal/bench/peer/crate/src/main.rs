// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//! Runs the crate multimixer-128 for a program on the other end of standard input
//! and output. Numbers have 8 bytes, little-endian. Two commands, each a byte:
//!
//!     L length key message    loads a key and a message of that length
//!     R n                     digests n times; answers nanoseconds and the digest

use multimixer_128::{multimixer_128, DIGEST_SIZE};
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::time::Instant;

fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn text(input: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut key, mut message) = (vec![], vec![]);
    let mut command = [0];
    while input.read(&mut command)? > 0 {
        if command == *b"L" {
            let length = number(&mut input)? as usize;
            key = text(&mut input, length)?;
            message = text(&mut input, length)?;
            continue;
        }
        let n = number(&mut input)?;
        let mut digest = [0; DIGEST_SIZE];
        let start = Instant::now();
        for _ in 0..n {
            multimixer_128(black_box(&key), black_box(&message), &mut digest);
            black_box(&digest);
        }
        output.write_all(&(start.elapsed().as_nanos() as u64).to_le_bytes())?;
        output.write_all(&digest)?;
        output.flush()?;
    }
    Ok(())
}
