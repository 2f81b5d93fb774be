//! Random schedules of losses, with the properties of the reference model.

mod contents;
mod kinds;
mod system;

use syncvar_testing::cases;
use syncvar_testing::loss::check;

use system::Ends;

/// Plays every second schedule: two tests use two processors.
fn play(first: u32) {
    // 2 000 in `.ci/run`, which plays a quarter.
    for seed in (first..cases(8_000).cases).step_by(2) {
        if let Err(failure) = check(seed.into(), Ends::new) {
            panic!("seed {seed}: {failure}");
        }
    }
}

#[test]
fn even_schedules_keep_the_properties_of_the_model() {
    play(0);
}

#[test]
fn odd_schedules_keep_the_properties_of_the_model() {
    play(1);
}

/// The rest of a backlog leaves with the second update of a tick.
#[test]
fn found_schedules_keep_the_properties_of_the_model() {
    for seed in [6592] {
        if let Err(failure) = check(seed, Ends::new) {
            panic!("seed {seed}: {failure}");
        }
    }
}
