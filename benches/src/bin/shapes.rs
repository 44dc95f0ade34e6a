//! Runs each shape on each of its subjects, once, under callgrind: `scripts/instructions.sh`, which
//! counts what happens inside of [`measured`], prints a table of it.
//!
//! Prints a line for each call of `measured`, in order: shape, subject, iterations.

#![forbid(unsafe_code)]

use lc_benches::{shapes, Body};

fn main() {
    for shape in shapes() {
        for (subject, prepare) in shape.subjects {
            let mut body = prepare();
            // Fills the free list, and the allocator's.
            body();
            measured(&mut body, shape.iterations);
            println!("{}\t{}\t{}", shape.name, subject, shape.iterations);
        }
    }
}

#[inline(never)]
fn measured(body: &mut Body, iterations: u32) {
    for _ in 0..iterations {
        body();
    }
}
