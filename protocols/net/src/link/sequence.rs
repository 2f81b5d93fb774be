//! Numbers that travel as their low 16 bits.

/// Returns the number that ends in these bits and is nearest to the expected one. Of two at the same
/// distance it is the lower one.
pub(crate) fn extend(near: u64, low: u16) -> u64 {
    let difference = low.wrapping_sub(low_bits(near)).cast_signed();
    near.checked_add_signed(difference.into())
        // Nothing lies beyond an end of the range, so the nearest number is on the other side.
        .unwrap_or_else(|| near.wrapping_add_signed(i64::from(difference) - step(difference)))
}

/// Returns the tick that ends in these bits and is nearest to the expected one, like [`extend`].
pub(crate) fn extend_tick(near: u32, low: u16) -> u32 {
    // One step above the last tick is a number that no tick has.
    let extended = extend(near.into(), low);
    u32::try_from(extended).unwrap_or_else(|_| near & !0xffff | u32::from(low))
}

/// Returns the highest number up to `last` that ends in these bits, or none if all are higher.
pub(crate) fn extend_down(last: u64, low: u16) -> Option<u64> {
    last.checked_sub(low_bits(last).wrapping_sub(low).into())
}

/// Returns the low 16 bits of a number, as they travel.
pub(crate) fn low_bits(number: u64) -> u16 {
    let [first, second, ..] = number.to_le_bytes();
    u16::from_le_bytes([first, second])
}

/// Distance of two numbers that end in the same bits, in the direction of a difference.
fn step(difference: i16) -> i64 {
    if difference < 0 { -0x1_0000 } else { 0x1_0000 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{extend, extend_down, extend_tick, low_bits};

    #[test]
    fn the_nearest_number_is_taken_across_a_wrap() {
        for (near, low, expected) in [
            (0, 0, 0),
            (0, 7, 7),
            (0, 0x7fff, 0x7fff),
            (0, 0xffff, 0xffff),
            (10, 0xfff0, 0xfff0),
            (0xffff, 0, 0x1_0000),
            (0x1_0000, 0xffff, 0xffff),
            (0x1_0000, 0x8000, 0x8000),
            (0x1_0000, 0x7fff, 0x1_7fff),
            (u64::MAX, 0, u64::MAX - 0xffff),
            (u64::MAX, 0xfffe, u64::MAX - 1),
        ] {
            assert_eq!(extend(near, low), expected, "{near:#x} {low:#x}");
        }
    }

    #[test]
    fn ticks_stay_in_32_bits() {
        assert_eq!(extend_tick(0, 0xfff0), 0xfff0);
        assert_eq!(extend_tick(0x1_fff0, 5), 0x2_0005);
        assert_eq!(extend_tick(u32::MAX, 5), 0xffff_0005);
        assert_eq!(extend_tick(u32::MAX - 0x100, 0xffff), u32::MAX);
    }

    #[test]
    fn the_highest_number_sent_is_taken() {
        assert_eq!(extend_down(0x1_0003, 4), Some(4));
        assert_eq!(extend_down(0x1_0003, 3), Some(0x1_0003));
        assert_eq!(extend_down(3, 4), None);
    }

    proptest! {
        #[test]
        fn numbers_within_half_a_turn_come_back(near: u64, distance in -0x8000i64..0x8000) {
            if let Some(number) = near.checked_add_signed(distance) {
                prop_assert_eq!(extend(near, low_bits(number)), number);
            }
            prop_assert_eq!(low_bits(extend(near, 9)), 9);
        }
    }
}
