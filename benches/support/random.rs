//! Pseudo-random numbers, equal in every run.

/// PCG XSH-RR with 64 bits of state: deterministic, small, and fast enough not to matter.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self {
            state: seed ^ 0x853C_49E6_748F_EA9B,
        };
        random.bits();
        random
    }

    pub(crate) fn bits(&mut self) -> u32 {
        let state = self.state;
        self.state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = low_half(((state >> 18) ^ state) >> 27);
        mixed.rotate_right(low_half(state >> 59))
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        low_half((u64::from(self.bits()) * u64::from(limit)) >> 32)
    }

    /// Returns an integer of the range `low..high`.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        low.wrapping_add_unsigned(self.below(high.abs_diff(low)))
    }

    /// Returns a number from 0 to `limit`, exclusive; all its bits vary.
    pub(crate) fn fraction_of(&mut self, limit: f32) -> f32 {
        // 1.0 with a random mantissa, less 1.
        (f32::from_bits(0x3F80_0000 | (self.bits() >> 9)) - 1.0) * limit
    }

    /// Returns the numbers below `count`, shuffled.
    pub(crate) fn permutation(&mut self, count: u32) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..count).collect();
        for (position, last) in (1..numbers.len()).zip(2..) {
            numbers.swap(position, self.below(last) as usize);
        }
        numbers
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
fn low_half(bits: u64) -> u32 {
    bits as u32
}
