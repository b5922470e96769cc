// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2026 The unimac Authors

//! Runs crates for a program on the other end of standard input and output. The arguments name
//! the crate, the work and the length of a chunk. The input is a key, a nonce and a text, each
//! after its length; then, for each R and a number n, the text is worked on n times, a chunk at a
//! time, and the answer is nanoseconds and what the last chunk gave. Numbers have 8 bytes,
//! little-endian.
//!
//! aws-lc-rs and ring seal in place, so the text is copied each time.

use std::ffi::c_int;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::ptr::null;
use std::time::Instant;

const TAG: usize = 16;

type Work = Box<dyn Fn(&[u8], &mut [u8])>;

macro_rules! chacha20_poly1305 {
    ($name:ident, $key:expr, $nonce:expr) => {{
        use $name::aead::*;
        let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &$key).unwrap());
        let nonce: [u8; 12] = $nonce.try_into().unwrap();
        Box::new(move |text: &[u8], out: &mut [u8]| {
            let (body, tag) = out.split_at_mut(text.len());
            body.copy_from_slice(text);
            let nonce = Nonce::assume_unique_for_key(nonce);
            tag.copy_from_slice(key.seal_in_place_separate_tag(nonce, Aad::empty(), body).unwrap().as_ref());
        })
    }};
}

// The C functions of libaegis are called as they are: the crate's own calls copy, and wipe keys.
// A MAC begins with a copy of the keyed state.
macro_rules! libaegis {
    ($work:expr, $key:expr, $nonce:expr, $module:ident, $mac:ident, $seal:ident, $open:ident) => {{
        #[rustfmt::skip]
        extern "C" {
            fn $seal(out: *mut u8, tag: *mut u8, tag_size: usize, text: *const u8, size: usize,
                ad: *const u8, ad_size: usize, nonce: *const u8, key: *const u8) -> c_int;
            fn $open(out: *mut u8, text: *const u8, size: usize, tag: *const u8, tag_size: usize,
                ad: *const u8, ad_size: usize, nonce: *const u8, key: *const u8) -> c_int;
        }
        let (key, nonce) = ($key, $nonce);
        let keyed = aegis::$module::$mac::<TAG>::new_with_nonce(
            key.as_slice().try_into().unwrap(),
            nonce.as_slice().try_into().unwrap(),
        );
        match $work {
            "seal" => Box::new(move |text: &[u8], out: &mut [u8]| unsafe {
                let (out, size) = (out.as_mut_ptr(), text.len());
                let tag = out.add(size);
                assert!($seal(out, tag, TAG, text.as_ptr(), size, null(), 0, nonce.as_ptr(), key.as_ptr()) == 0);
            }) as Work,
            "open" => Box::new(move |text: &[u8], out: &mut [u8]| unsafe {
                let (body, tag) = text.split_at(text.len() - TAG);
                let (out, size) = (out.as_mut_ptr(), body.len());
                assert!($open(out, body.as_ptr(), size, tag.as_ptr(), TAG, null(), 0, nonce.as_ptr(), key.as_ptr()) == 0);
            }),
            _ => Box::new(move |text: &[u8], out: &mut [u8]| {
                let mut mac = keyed.clone();
                mac.update(text);
                out.copy_from_slice(&mac.finalize());
            }),
        }
    }};
}

#[rustfmt::skip]
fn prepare(name: &str, work: &str, key: Vec<u8>, nonce: Vec<u8>) -> Work {
    match name {
        "aws-lc-rs" => chacha20_poly1305!(aws_lc_rs, key, nonce),
        "ring" => chacha20_poly1305!(ring, key, nonce),
        "multimixer-128" => Box::new(move |text, out| {
            multimixer_128::multimixer_128(black_box(&key), text, out.try_into().unwrap())
        }),
        "128l" => libaegis!(work, key, nonce, aegis128l, Aegis128LMac, aegis128l_encrypt_detached, aegis128l_decrypt_detached),
        "128x2" => libaegis!(work, key, nonce, aegis128x2, Aegis128X2Mac, aegis128x2_encrypt_detached, aegis128x2_decrypt_detached),
        "128x4" => libaegis!(work, key, nonce, aegis128x4, Aegis128X4Mac, aegis128x4_encrypt_detached, aegis128x4_decrypt_detached),
        "256" => libaegis!(work, key, nonce, aegis256, Aegis256Mac, aegis256_encrypt_detached, aegis256_decrypt_detached),
        "256x2" => libaegis!(work, key, nonce, aegis256x2, Aegis256X2Mac, aegis256x2_encrypt_detached, aegis256x2_decrypt_detached),
        "256x4" => libaegis!(work, key, nonce, aegis256x4, Aegis256X4Mac, aegis256x4_encrypt_detached, aegis256x4_decrypt_detached),
        _ => panic!("no crate {name}"),
    }
}

fn number(input: &mut impl Read) -> io::Result<usize> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes) as usize)
}

fn text(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; number(input)?];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let (work, chunk) = (arguments[2].as_str(), arguments[3].parse().unwrap());
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (key, nonce, text) = (text(&mut input)?, text(&mut input)?, text(&mut input)?);
    let mut out = vec![
        0;
        match work {
            "seal" => chunk + TAG,
            "open" => chunk - TAG,
            "digest" => multimixer_128::DIGEST_SIZE,
            _ => TAG,
        }
    ];
    let run = prepare(&arguments[1], work, key, nonce);
    let mut command = [0];
    while input.read(&mut command)? > 0 {
        let n = number(&mut input)?;
        let start = Instant::now();
        for _ in 0..n {
            for piece in black_box(&text).chunks(chunk) {
                run(piece, &mut out);
                black_box(&out);
            }
        }
        output.write_all(&(start.elapsed().as_nanos() as u64).to_le_bytes())?;
        output.write_all(&out)?;
        output.flush()?;
    }
    Ok(())
}
