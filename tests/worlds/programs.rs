//! Random programs with an oracle from the words of the guide.

use syncvar_testing::cases;
use syncvar_testing::programs::check;

/// Plays every second program: two tests use two processors.
fn play(first: u32) {
    // 2 000 in `.ci/run`, which plays a quarter.
    for seed in (first..cases(8_000).cases).step_by(2) {
        if let Err(failure) = check(seed.into()) {
            panic!("seed {seed}: {failure}");
        }
    }
}

#[test]
fn even_programs_agree_with_the_guide() {
    play(0);
}

#[test]
fn odd_programs_agree_with_the_guide() {
    play(1);
}
