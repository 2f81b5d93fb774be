//! Mistakes that must not compile, with the compiler's messages: `ui/<rule>/<mistake>.rs` beside its `.stderr`.
//!
//! `TRYBUILD=overwrite cargo test -p syncvar-derive --test ui` records the messages. Read them as a
//! beginner would: one error for one mistake, at the tokens to edit, with the correct text.

/// Among them: a behaviour with marked fields and both functions by hand (U7, in `conflict`), a
/// variable within a variable (N30, in `nested_sync_var`), and a type without an encoding (T18, T31,
/// in `not_a_value`).
#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
