//! Random schedules of losses, with the properties of the reference model.

mod contents;
mod kinds;
mod system;

use syncvar_testing::cases;
use syncvar_testing::loss::check;

use system::Ends;

#[test]
fn schedules_keep_the_properties_of_the_model() {
    for seed in 0..cases(2_000).cases {
        if let Err(failure) = check(seed.into(), Ends::new) {
            panic!("seed {seed}: {failure}");
        }
    }
}
