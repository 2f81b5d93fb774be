//! `Random`: random numbers from a seed.

/// Random numbers from a seed (`SplitMix64`): equal seeds give equal numbers.
///
/// ```
/// use syncvar::testing::Random;
///
/// let mut random = Random::new(7);
/// let die = 1 + random.below(6);
/// assert!((1..=6).contains(&die));
/// let colour = random.pick(&["red", "green"]).unwrap();
/// assert!(["red", "green"].contains(colour));
/// assert_eq!(Random::new(7).below(6) + 1, die);
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the numbers of a step of a seed.
    pub fn of_step(seed: u64, step: usize) -> Self {
        let mut seeds = Self(seed);
        Self(seeds.number() ^ (step as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns the next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`, or 0 for a limit of 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        u32::try_from(self.number() % u64::from(limit.max(1))).unwrap_or_default()
    }

    /// Returns a number from `low` on and below `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        // 16 bits are exact in an `f32`.
        let part = u16::try_from(self.number() >> 48).unwrap_or_default();
        low + (high - low) * f32::from(part) / 65_536.0
    }

    /// Returns `true` in `per_mille` of 1000 cases.
    pub fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }

    /// Returns a value of the slice; `None` if it is empty.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> Option<&'a T> {
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        values.get(self.below(count) as usize)
    }
}
