//! Integers: nothing is lost.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "any number of a type will do"
)]

use proptest::prelude::*;
use syncvar::{
    codec::{Bits, Fixed, SyncCodec, ZigZag},
    wire::{Encoding, NetworkWriter, WriteErrorKind},
};

use crate::codecs::{travel, travel_in};

proptest! {
    #[test]
    fn every_integer_comes_back(number in any::<i64>(), small in -300..300_i64) {
        for number in [number, small] {
            check_width(number);
            macro_rules! types {
                ($($signed:ident $unsigned:ident;)*) => {$(
                    let signed = number as $signed;
                    let unsigned = number as $unsigned;
                    prop_assert_eq!(travel::<Fixed, _>(&signed), (signed.to_le_bytes().to_vec(), signed));
                    prop_assert_eq!(travel::<Fixed, _>(&unsigned), (unsigned.to_le_bytes().to_vec(), unsigned));
                    prop_assert_eq!(travel::<Bits<{ $signed::BITS }>, _>(&signed).1, signed);
                    prop_assert_eq!(travel::<Bits<{ $unsigned::BITS }>, _>(&unsigned).1, unsigned);
                    for dialect in [Encoding::Unet, Encoding::Compact, Encoding::Mirror] {
                        let (bytes, read) = travel_in::<ZigZag, _>(dialect, &signed);
                        prop_assert_eq!(read, signed);
                        // Both ways of packing take a byte for the 60 numbers of either sign next to 0.
                        prop_assert!(bytes.len() == 1 || !(-60..=60).contains(&signed));
                    }
                )*};
            }
            types! { i8 u8; i16 u16; i32 u32; i64 u64; }
        }
    }

    #[test]
    fn an_integer_of_128_bits_comes_back(number in any::<i128>(), small in -60..=60_i128) {
        let unsigned = number.cast_unsigned();
        prop_assert_eq!(travel::<Fixed, _>(&number), (number.to_le_bytes().to_vec(), number));
        prop_assert_eq!(travel::<Fixed, _>(&unsigned), (unsigned.to_le_bytes().to_vec(), unsigned));
        prop_assert_eq!(travel::<ZigZag, _>(&number).1, number);
        let (bytes, read) = travel::<ZigZag, _>(&small);
        prop_assert_eq!((bytes.len(), read), (1, small));
    }

    #[test]
    fn a_character_of_fixed_width_comes_back(character in any::<char>()) {
        prop_assert_eq!(travel::<Fixed, _>(&character), (u32::from(character).to_le_bytes().to_vec(), character));
    }
}

/// A number of so many bits is written if it has no more, and reported if it has.
fn check_width(number: i64) {
    macro_rules! widths {
        ($($bits:literal)*) => {$(
            let fits = (number >> ($bits - 1)) == 0 || (number >> ($bits - 1)) == -1;
            check::<$bits, i64>(&number, fits);
            let unsigned = number as u64;
            check::<$bits, u64>(&unsigned, unsigned >> $bits == 0);
        )*};
    }
    widths! { 1 2 7 8 9 12 20 31 32 33 63 }
}

fn check<const N: u32, T>(number: &T, fits: bool)
where
    Bits<N>: SyncCodec<T>,
    T: Clone + std::fmt::Debug + PartialEq + Send + Sync + 'static,
{
    if fits {
        let (bytes, read) = travel::<Bits<N>, T>(number);
        assert_eq!((bytes.len(), &read), (N.div_ceil(8) as usize, number));
        let unused = (bytes.len() * 8) as u32 - N;
        assert!(u32::from(bytes[bytes.len() - 1]) < 1 << (8 - unused));
    } else {
        let mut writer = NetworkWriter::new();
        <Bits<N>>::write(number, &mut writer);
        let kind = writer.error().unwrap().kind();
        assert_eq!(kind, WriteErrorKind::TooFewBits { bits: N });
        assert!(writer.is_empty(), "nothing of it is written");
    }
}

/// Lesson 26: UNet takes 5 and 9 bytes for a negative number.
#[test]
fn zigzag_numbers_near_zero_are_short_with_any_sign() {
    let length = |number: i64, dialect| travel_in::<ZigZag, _>(dialect, &number).0.len();
    assert_eq!(
        [-1, 0, 120, -120].map(|number| length(number, Encoding::Unet)),
        [1; 4]
    );
    assert_eq!(
        [-1, 0, 63, -64].map(|number| length(number, Encoding::Compact)),
        [1; 4]
    );
    assert_eq!(length(i64::MIN, Encoding::Unet), 9);
    assert_eq!(length(i64::MIN, Encoding::Compact), 10);
}
