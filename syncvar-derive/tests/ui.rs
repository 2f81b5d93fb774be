//! What must not compile, and what the compiler says about it: `ui/<rule>/<mistake>.rs` beside
//! its `.stderr`.
//!
//! `TRYBUILD=overwrite cargo test -p syncvar-derive --test ui` writes the messages anew. They are read as a
//! beginner would: one error for one mistake, at the place where the pen goes, with what to write.

/// Among them: a behaviour with marked fields that has the two functions by hand too (U7, in
/// `conflict`), a variable within a variable (N30, in `nested_sync_var`), and a type that nobody knows
/// how to write (T18, T31, in `not_a_value`).
#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
