//! Small prime fields, for what depends on the bits of the modulus.

/// A field by its modulus and a generator of its units, each in a module: the derivation leaves
/// constants beside the type.
macro_rules! field {
    ($(#[$doc:meta])* $module:ident, $name:ident, $modulus:literal, $generator:literal) => {
        mod $module {
            use ff::PrimeField;

            $(#[$doc])*
            #[derive(PrimeField)]
            #[PrimeFieldModulus = $modulus]
            #[PrimeFieldGenerator = $generator]
            #[PrimeFieldReprEndianness = "little"]
            pub struct $name([u64; 1]);
        }
        pub use $module::$name;
    };
}

field! {
    /// p - 1 is 110 in binary.
    f7, F7, "7", "3"
}
field! {
    /// p - 1 is 110 1100 in binary.
    f109, F109, "109", "6"
}
field! {
    /// p - 1 is 111 1110 in binary.
    f127, F127, "127", "3"
}
field! {
    /// p - 1 is 1 0000 0000 in binary.
    f257, F257, "257", "3"
}
field! {
    /// p - 1 is 10 1010 1010 in binary.
    f683, F683, "683", "5"
}
