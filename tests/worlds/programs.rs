//! Random programs with an oracle from the words of the guide.

use syncvar_testing::cases;
use syncvar_testing::programs::check;

/// Programs that have failed: joins and losses in second updates of a tick, a detachment with repairs in the queue or before
/// the loss of a link, an empty list of an owner.
const FOUND: [u64; 7] = [4626, 91_214, 93_589, 122_911, 180_030, 212_317, 260_411];

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

#[test]
fn found_programs_agree_with_the_guide() {
    for seed in FOUND {
        if let Err(failure) = check(seed) {
            panic!("seed {seed}: {failure}");
        }
    }
}
