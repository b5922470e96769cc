// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//! Runs the ChaCha20-Poly1305 of a crate for a program on the other end of standard input
//! and output. The arguments name the crate and the work, seal or open. The input is a key,
//! a nonce, a length and a text; then, for each R and a number n, the text is worked on n
//! times, and the answer is nanoseconds and the result. Numbers have 8 bytes,
//! little-endian.
//!
//! The crates seal in place, so the text is copied each time; aws-lc-rs opens to another
//! place, ring copies for that as well.

use std::hint::black_box;
use std::io::{self, Read, Write};
use std::time::Instant;

const TAG: usize = 16;

fn array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

type Work = Box<dyn Fn(&[u8], &mut [u8])>;

fn ring(key: &[u8], nonce: [u8; 12], seal: bool) -> Work {
    use ring::aead::*;
    let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).unwrap());
    let nonce = move || Nonce::assume_unique_for_key(nonce);
    if seal {
        return Box::new(move |text, out| {
            let (body, tag) = out.split_at_mut(text.len());
            body.copy_from_slice(text);
            tag.copy_from_slice(key.seal_in_place_separate_tag(nonce(), Aad::empty(), body).unwrap().as_ref());
        });
    }
    Box::new(move |text, out| {
        let (body, tag) = text.split_at(text.len() - TAG);
        out.copy_from_slice(body);
        let tag = Tag::try_from(tag).unwrap();
        key.open_in_place_separate_tag(nonce(), Aad::empty(), tag, out, 0..).unwrap();
    })
}

fn aws_lc(key: &[u8], nonce: [u8; 12], seal: bool) -> Work {
    use aws_lc_rs::aead::*;
    let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).unwrap());
    let nonce = move || Nonce::assume_unique_for_key(nonce);
    if seal {
        return Box::new(move |text, out| {
            let (body, tag) = out.split_at_mut(text.len());
            body.copy_from_slice(text);
            tag.copy_from_slice(key.seal_in_place_separate_tag(nonce(), Aad::empty(), body).unwrap().as_ref());
        });
    }
    Box::new(move |text, out| {
        let (body, tag) = text.split_at(text.len() - TAG);
        key.open_separate_gather(nonce(), Aad::empty(), body, tag, out).unwrap();
    })
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let seal = arguments[2] == "seal";
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (key, nonce) = (array::<32>(&mut input)?, array::<12>(&mut input)?);
    let work = if arguments[1] == "ring" { ring(&key, nonce, seal) } else { aws_lc(&key, nonce, seal) };
    let mut text = vec![0; u64::from_le_bytes(array(&mut input)?) as usize];
    input.read_exact(&mut text)?;
    let mut out = vec![0; if seal { text.len() + TAG } else { text.len() - TAG }];
    let mut command = [0];
    while input.read(&mut command)? > 0 {
        let n = u64::from_le_bytes(array(&mut input)?);
        let start = Instant::now();
        for _ in 0..n {
            work(black_box(&text), &mut out);
            black_box(&out);
        }
        output.write_all(&(start.elapsed().as_nanos() as u64).to_le_bytes())?;
        output.write_all(&out)?;
        output.flush()?;
    }
    Ok(())
}
