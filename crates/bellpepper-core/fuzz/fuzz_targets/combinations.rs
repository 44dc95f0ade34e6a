//! One byte program on every storage and on the registry's crate, each compared with the oracle.

#![no_main]
#![deny(unsafe_code)]

#[allow(dead_code, unused_imports)] // The public face is not used here.
#[path = "../../src/lc/mod.rs"]
mod lc;
use lc::term; // where `program`, which `subjects` includes, looks for it

#[path = "../src/subjects.rs"]
mod subjects;

use blstrs::Scalar as Fr;
use libfuzzer_sys::fuzz_target;

use lc::storage::pooled::Pooled;
use lc::storage::smallvec::{SmallVec1, SmallVec4};
use lc::storage::vec::Vector;
use lc::terms::Terms;
use subjects::program::run;

fuzz_target!(|program: &[u8]| {
    run::<Fr, upstream::LinearCombination<Fr>>(program);
    run::<Fr, Terms<Vector<Fr>>>(program);
    run::<Fr, Terms<SmallVec1<Fr>>>(program);
    run::<Fr, Terms<SmallVec4<Fr>>>(program);
    run::<Fr, Terms<Pooled<Fr>>>(program);
});
