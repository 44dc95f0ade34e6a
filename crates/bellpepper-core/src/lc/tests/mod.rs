//! One runner, every storage: see `program` for the programs and the oracle.

mod fused;
mod program;
mod subject;

use std::panic::{catch_unwind, AssertUnwindSafe};

use blstrs::Scalar as Fr;
use ff::{Field, PrimeField};
use rand::{Rng, RngCore, SeedableRng};
use rand_xorshift::XorShiftRng;

use self::fused::Fused;
use self::program::{run, Oracle, Subject};
use super::storage::pooled::Pooled;
use super::storage::smallvec::{SmallVec1, SmallVec4};
use super::storage::vec::Vector;
use super::storage::Storage;
use super::term::{grown, Kind};
use super::terms::Terms;

/// Scalars of other sizes and alignments than a `blstrs::Scalar`.
mod scalars {
    pub use {aligned::Aligned, long::Long, short::Short};

    /// 8 bytes.
    mod short {
        use ff::PrimeField;

        #[derive(PrimeField)]
        #[PrimeFieldModulus = "4294967291"]
        #[PrimeFieldGenerator = "2"]
        #[PrimeFieldReprEndianness = "little"]
        pub struct Short([u64; 1]);
    }

    /// Aligned more than a block of the free list.
    mod aligned {
        use ff::PrimeField;

        #[derive(PrimeField)]
        #[PrimeFieldModulus = "4294967291"]
        #[PrimeFieldGenerator = "2"]
        #[PrimeFieldReprEndianness = "little"]
        #[repr(align(128))]
        pub struct Aligned([u64; 1]);
    }

    /// 80 bytes: of a size that no block of the free list is for, and no place for constants.
    mod long {
        use ff::PrimeField;

        /// The modulus is 2^607 - 1.
        #[derive(PrimeField)]
        #[PrimeFieldModulus = "531137992816767098689588206552468627329593117727031923199444138200403559860852242739162502265229285668889329486246501015346579337652707239409519978766587351943831270835393219031728127"]
        #[PrimeFieldGenerator = "3"]
        #[PrimeFieldReprEndianness = "little"]
        pub struct Long([u64; 10]);
    }
}

fn rng(seed: u8) -> XorShiftRng {
    XorShiftRng::from_seed([seed + 1; 16])
}

/// Random programs, most of them short.
fn random_programs<S: PrimeField, St: Storage<Scalar = S>>() {
    let mut rng = rng(1);
    for _ in 0..400 {
        let mut program = vec![0; rng.gen_range(8..160)];
        rng.fill_bytes(&mut program);
        run::<S, Terms<St>>(&program);
    }
}

/// Every length from 0 past the end of the second block, built in each direction, merged and
/// compared.
fn every_length<S: PrimeField, St: Storage<Scalar = S>>() {
    for (len, kind) in (0..70).flat_map(|len| [(len, Kind::Aux), (len, Kind::Input)]) {
        let up = (0..len).fold(Terms::<St>::zero(), |terms, key| {
            Subject::add_term(terms, kind, 2 * key, S::from(key as u64))
        });
        let down = (0..len).rev().fold(Terms::<St>::zero(), |terms, key| {
            Subject::add_term(terms, kind, 2 * key + 1, S::from(key as u64))
        });
        let expected: Vec<_> = (0..2 * len)
            .map(|key| (key, S::from(key as u64 / 2)))
            .collect();
        let sum = up.clone().add(&down);
        assert_eq!(sum.terms_of(kind), expected);
        let other = down.add(&up);
        assert_eq!(other.terms_of(kind), expected);
        assert!(sum == other);
        for key in [0, len, 2 * len] {
            let changed = Subject::add_term(sum.clone(), kind, key, S::ONE);
            assert!(sum != changed);
        }
    }
}

/// Orders of insertion of a list of 2000 terms: with a gap that stays, moves, or is everywhere.
fn long_and_disordered<S: PrimeField, St: Storage<Scalar = S>>() {
    const LEN: usize = 2000;
    let len = LEN;
    let mut random: Vec<usize> = (0..len).collect();
    let mut rng = rng(2);
    for i in (1..len).rev() {
        random.swap(i, rng.gen_range(0..=i));
    }
    type Order = Box<dyn Fn(usize) -> usize>;
    let orders: [Order; 5] = [
        Box::new(|i| i),
        Box::new(|i| LEN - 1 - i),
        Box::new(move |i| random[i]),
        Box::new(|i| i * 1003 % LEN),
        // Two ascending runs in turn.
        Box::new(|i| i / 2 + i % 2 * LEN / 2),
    ];
    for order in orders {
        let build = |kind: Kind| {
            (0..len).fold(Terms::<St>::zero(), |terms, i| {
                Subject::add_term(terms, kind, order(i), S::from(order(i) as u64))
            })
        };
        let (aux, inputs) = (build(Kind::Aux), build(Kind::Input));
        let expected: Vec<_> = (0..len).map(|key| (key, S::from(key as u64))).collect();
        assert_eq!(aux.terms_of(Kind::Aux), expected);
        assert_eq!(inputs.terms_of(Kind::Input), expected);
        assert!(aux.terms_of(Kind::Input).is_empty());
        let both = (0..len).fold(Terms::<St>::zero(), |terms, i| {
            let key = order(i);
            let terms = Subject::add_term(terms, Kind::Aux, key, S::from(key as u64));
            Subject::add_term(terms, Kind::Input, key, S::from(key as u64))
        });
        assert_eq!(both.terms_of(Kind::Aux), expected);
        assert_eq!(both.terms_of(Kind::Input), expected);

        // Sums of long ones, in each direction, and arithmetic on them.
        let doubled: Vec<_> = (0..len).map(|key| (key, S::from(2 * key as u64))).collect();
        let mut sum = aux.clone().add(&inputs).add(&aux).add(&inputs);
        assert_eq!(sum.terms_of(Kind::Aux), doubled);
        assert_eq!(sum.terms_of(Kind::Input), doubled);
        assert_eq!(sum.len(), 2 * len);
        let values = vec![S::from(3); len];
        let value = S::from(3) * S::from((len * (len - 1)) as u64) * S::from(2);
        assert_eq!(sum.eval(&values, &values), value);
        sum.scale(S::ZERO);
        let zeros: Vec<_> = (0..len).map(|key| (key, S::ZERO)).collect();
        assert_eq!(sum.terms_of(Kind::Aux), zeros);
    }
}

/// What the constraint systems of real circuits rely on, by hand.
fn cancelled_terms_stay<S: PrimeField, St: Storage<Scalar = S>>() {
    let (two, five) = (S::from(2), S::from(5));
    let terms = Terms::<St>::of_term(Kind::Input, 0, &S::ONE);
    let terms = Subject::add_term(terms, Kind::Aux, 7, five);
    let terms = Subject::sub_term(terms, Kind::Aux, 7, five);
    let terms = Subject::sub_term(terms, Kind::Input, 0, S::ONE);
    let terms = Subject::add_term(terms, Kind::Aux, 3, S::ZERO);
    assert_eq!(terms.terms_of(Kind::Input), [(0, S::ZERO)]);
    assert_eq!(terms.terms_of(Kind::Aux), [(3, S::ZERO), (7, S::ZERO)]);
    assert_eq!(terms.len(), 3);
    let sum = Terms::<St>::of_term(Kind::Aux, 3, &two).sub_scaled(two, &terms);
    assert_eq!(sum.terms_of(Kind::Aux), [(3, two), (7, S::ZERO)]);
    assert_eq!(sum.terms_of(Kind::Input), [(0, S::ZERO)]);
}

/// Sums of words, which begin anywhere and also run backwards, and of other coefficients, times
/// more scalars than are remembered.
fn scaled_words<S: PrimeField, St: Storage<Scalar = S>>() {
    for start in [0, 1, 31, 0] {
        let bits = (start..32).chain(0..32).chain((0..32).rev()).chain(0..32);
        let powers = bits.map(|bit| S::from(1 << bit));
        let others = [3, 0, 3, 9, 27, 81, 243, 1, 2].map(S::from);
        let coeffs: Vec<_> = powers.chain(others).chain([S::ONE.double()]).collect();
        let sum = coeffs
            .iter()
            .enumerate()
            .fold(Terms::<St>::zero(), |terms, (key, coeff)| {
                Subject::add_term(terms, Kind::Aux, key, *coeff)
            });
        for scale in (2..14).chain(5..8).map(S::from) {
            let scaled = Terms::<St>::zero().add_scaled(scale, &sum);
            let expected = coeffs.iter().map(|coeff| *coeff * scale).enumerate();
            assert_eq!(scaled.terms_of(Kind::Aux), expected.collect::<Vec<_>>());
        }
    }
}

/// Sums of long combinations, each made of a clone of the one before, all of them kept.
fn sums_of_clones<S: PrimeField, St: Storage<Scalar = S>>() {
    /// Words that overlap, so that one, two and many addends have a variable, and some inputs.
    fn addend<S: PrimeField, T: Subject<S>>(number: usize) -> T {
        let start = [0, 200, 17, 200, 80, 0, usize::MAX - 99][number % 7];
        let keys = (0..60 + number).map(|i| start + i);
        let terms = keys.fold(T::zero(), |terms, key| {
            terms.add_term(Kind::Aux, key, S::from((number + key % 1000) as u64))
        });
        let terms = terms.add_term(Kind::Input, number % 3, S::from(7));
        terms.add_term(Kind::Aux, start + 20, S::ONE)
    }
    fn sums<S: PrimeField, T: Subject<S>>() -> Vec<T> {
        let sums = (0..30).scan(T::of_term(Kind::Aux, 300, S::ONE), |sum, number| {
            let scale = [S::ONE, S::from(35), S::ZERO - S::ONE, S::ZERO][number % 4];
            *sum = sum.clone().add_scaled(scale, &addend(number));
            Some(sum.clone())
        });
        sums.collect()
    }
    let (given, expected) = (sums::<S, Terms<St>>(), sums::<S, Oracle<S>>());
    let sums_and_expected = || given.iter().zip(&expected);
    for (sum, expected) in sums_and_expected() {
        assert_eq!(sum.terms(), expected.terms());
        assert_eq!(Subject::len(sum), expected.len());
        for (other, other_expected) in sums_and_expected() {
            let twice = sum.clone().sub(other).add_scaled(S::from(3), other);
            let twice_expected = expected.clone().sub(other_expected);
            let twice_expected = twice_expected.add_scaled(S::from(3), other_expected);
            assert_eq!(twice.terms(), twice_expected.terms());
        }
        // Nothing that was done with clones has changed it.
        assert_eq!(sum.terms(), expected.terms());
    }
}

/// A list cannot be longer than the counts in it.
#[test]
fn too_long() {
    assert_eq!(grown(0, 1), 4);
    assert_eq!(grown(3, 4), 6);
    assert_eq!(grown(4, 5), 8);
    assert_eq!(grown(4, 100), 128);
    assert_eq!(grown(33, 34), 66);
    assert_eq!(grown(1 << 31, (1 << 31) + 1), u32::MAX);
    assert_eq!(grown(u32::MAX, u32::MAX as usize), u32::MAX);
    for len in [1 << 32, usize::MAX] {
        let panic = catch_unwind(|| grown(u32::MAX, len)).expect_err("too many terms");
        let message = panic.downcast_ref::<&str>().expect("a message");
        assert_eq!(
            *message,
            "a linear combination holds at most 4294967295 terms"
        );
    }
}

/// Combinations change threads, and end with a thread.
fn threads<S: PrimeField, St: Storage<Scalar = S> + Send + Sync + 'static>() {
    use std::cell::RefCell;
    use std::thread;

    thread_local! {
        static LAST: RefCell<Vec<Box<dyn std::any::Any>>> = RefCell::new(Vec::new());
    }
    let build = |len: usize| {
        (0..len).fold(Terms::<St>::zero(), |terms, key| {
            Subject::add_term(terms, Kind::Aux, key, S::ONE)
        })
    };
    let lengths = [1, 2, 5, 17, 65, 257, 1025];
    let made = thread::spawn(move || lengths.map(build)).join().unwrap();
    let read = thread::scope(|scope| scope.spawn(|| made.clone().map(|it| it.len())).join());
    assert_eq!(read.unwrap(), lengths);
    // Two threads read and clone one sum, and others drop clones meanwhile.
    let sum = build(50).add(&build(60));
    let clones = vec![sum.clone(); 50];
    thread::scope(|scope| {
        let read = || assert_eq!(sum.clone().add(&sum).terms()[59].2, S::ONE.double());
        let threads = [
            scope.spawn(read),
            scope.spawn(read),
            scope.spawn(|| drop(clones)),
        ];
        // ThreadSanitizer does not see that a scope waits for its threads.
        for thread in threads {
            thread.join().unwrap();
        }
    });
    // Some are dropped on a thread that made none, some by the destructor of a thread-local, which
    // may run before or after that of the free list.
    thread::spawn(move || {
        LAST.with(|last| {
            last.borrow_mut()
                .extend(lengths.map(build).map(|it| Box::new(it) as _))
        });
        drop(made);
        LAST.with(|last| last.borrow_mut().push(Box::new(build(3))));
    })
    .join()
    .unwrap();
}

/// Arithmetic that panics at any of its operations drops what it was given, and the storage goes
/// on.
fn unwinding<St: Storage<Scalar = Fused>>() {
    fn operands<T: Subject<Fused>>(len: usize) -> (T, T) {
        let list = |keys: &mut dyn Iterator<Item = usize>| {
            keys.fold(T::of_term(Kind::Input, 0, Fused::from(2)), |terms, key| {
                terms.add_term(Kind::Aux, key, Fused::from(key as u64 + 2))
            })
        };
        (
            list(&mut (0..len)),
            list(&mut (0..len).rev().map(|i| 3 * i)),
        )
    }
    fn sums<T: Subject<Fused>>((mut left, right): (T, T)) -> T {
        left = left.sub(&right).add_scaled(Fused::from(3), &right);
        left.scale(Fused::from(5));
        left.sub_scaled(Fused::from(7), &right.clone())
    }
    for len in [1, 3, 20, 40] {
        let expected = sums(operands::<Oracle<_>>(len)).terms();
        let mut panics = 0;
        loop {
            let given = operands::<Terms<St>>(len);
            fused::allow(Some(panics));
            let sum = catch_unwind(AssertUnwindSafe(|| sums(given)));
            fused::allow(None);
            match sum {
                Ok(sum) => break assert_eq!(sum.terms(), expected),
                Err(panic) => assert_eq!(panic.downcast_ref::<String>().unwrap(), fused::BLOWN),
            }
            assert_eq!(sums(operands::<Terms<St>>(len)).terms(), expected);
            panics += 1;
        }
        assert!(
            panics > 4 * len as u32,
            "only {} operations of {}",
            panics,
            len
        );
    }
}

macro_rules! for_each_storage {
    ($($name:ident: $storage:ident<$scalar:ty>,)*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn random_programs() { super::random_programs::<$scalar, $storage<$scalar>>() }
            #[test]
            fn every_length() { super::every_length::<$scalar, $storage<$scalar>>() }
            #[test]
            fn long_and_disordered() { super::long_and_disordered::<$scalar, $storage<$scalar>>() }
            #[test]
            fn cancelled_terms_stay() { super::cancelled_terms_stay::<$scalar, $storage<$scalar>>() }
            #[test]
            fn scaled_words() { super::scaled_words::<$scalar, $storage<$scalar>>() }
            #[test]
            fn sums_of_clones() { super::sums_of_clones::<$scalar, $storage<$scalar>>() }
            #[test]
            fn threads() { super::threads::<$scalar, $storage<$scalar>>() }
        }
    )* };
}

for_each_storage! {
    vec: Vector<Fr>,
    smallvec1: SmallVec1<Fr>,
    smallvec4: SmallVec4<Fr>,
    pooled: Pooled<Fr>,
    pooled_short: Pooled<scalars::Short>,
    pooled_aligned: Pooled<scalars::Aligned>,
    pooled_long: Pooled<scalars::Long>,
}

#[test]
fn unwinding_on_every_storage() {
    unwinding::<Vector<Fused>>();
    unwinding::<SmallVec1<Fused>>();
    unwinding::<SmallVec4<Fused>>();
    unwinding::<Pooled<Fused>>();
}

/// Scalars that a storage keeps are of the type that is asked for.
#[test]
fn kept_scalars() {
    fn check<St: Storage>() {
        assert_eq!(St::minus_one() + St::Scalar::ONE, St::Scalar::ZERO);
        assert_eq!(St::two(), St::Scalar::from(2));
    }
    check::<Vector<Fr>>();
    for _ in 0..2 {
        check::<Pooled<Fr>>();
        check::<Pooled<scalars::Short>>();
        check::<Pooled<scalars::Aligned>>();
        check::<Pooled<scalars::Long>>();
    }
}

/// The sizes that the documentation of each storage gives.
#[test]
fn sizes() {
    use std::mem::size_of;

    assert_eq!(size_of::<Terms<Vector<Fr>>>(), 56);
    assert_eq!(size_of::<Terms<SmallVec1<Fr>>>(), 80);
    assert_eq!(size_of::<Terms<SmallVec4<Fr>>>(), 200);
    assert_eq!(size_of::<Terms<Pooled<Fr>>>(), 8);
}
