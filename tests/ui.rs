//! What must not compile, and what the compiler says about it: `ui/<rule>/<mistake>.rs` beside
//! its `.stderr`.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the messages anew. They are read as a
//! beginner would: one error for one mistake, at the place where the pen goes, with what to write.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
