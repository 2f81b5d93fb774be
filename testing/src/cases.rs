//! Case counts of property tests.

use proptest::test_runner::Config;

/// Case count of a block without a configuration, and the base of `PROPTEST_CASES`.
const USUAL: u64 = 256;

/// Returns a configuration with `usual` cases, scaled by `PROPTEST_CASES`.
///
/// `PROPTEST_CASES=256`, proptest's default, keeps the count; `64` runs a quarter of it and `2560` ten
/// times as many. At least one case runs.
#[must_use]
pub fn cases(usual: u32) -> Config {
    let config = Config::default();
    let scaled = (u64::from(usual) * u64::from(config.cases)).div_ceil(USUAL);
    Config {
        cases: u32::try_from(scaled.max(1)).unwrap_or(u32::MAX),
        ..config
    }
}
