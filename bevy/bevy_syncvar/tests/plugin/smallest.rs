//! The smallest program. `.ci/run` compares its output.

#[path = "../../examples/smallest.rs"]
mod program;

const SOURCE: &str = include_str!("../../examples/smallest.rs");

#[test]
fn the_smallest_program_is_small_and_runs() {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.starts_with("//");
    assert!(SOURCE.lines().filter(is_code).count() <= 30);
    program::main();
}
