//! `NetworkHash128`: asset ids.

use std::fmt;

/// Hash of 128 bits that identifies an asset: 16 bytes in the order of their text.
///
/// ```
/// use syncvar::values::NetworkHash128;
///
/// let id = NetworkHash128::parse("0123456789abcdef0123456789abcdef");
/// assert_eq!(id.0[1], 0x23);
/// assert!(!NetworkHash128::of("player").is_zero());
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NetworkHash128(pub [u8; 16]);

impl NetworkHash128 {
    /// Returns the hash of a text, equal in every build: FNV-1a of 128 bits over its bytes (offset basis
    /// `6c62272e07bb014262b821756295c58d`, prime 2^88 + 315), most significant byte first.
    ///
    /// ```
    /// # use syncvar::values::NetworkHash128;
    /// assert_eq!(NetworkHash128::of("a").to_string(), "d228cb696f1a8caf78912b704e4a8964");
    /// ```
    pub fn of(text: &str) -> Self {
        const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = (1 << 88) + 315;
        let hash = text.bytes().fold(OFFSET_BASIS, |hash, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(PRIME)
        });
        Self(hash.to_be_bytes())
    }

    /// Reads hexadecimal text as UNet does: padded with zeros on the left to 32 digits; any
    /// further character counts as 0, and text beyond 32 characters is ignored.
    ///
    /// ```
    /// # use syncvar::values::NetworkHash128;
    /// let hash = NetworkHash128::parse("0176acd452adc180");
    /// assert_eq!(hash.to_string(), "00000000000000000176acd452adc180");
    /// ```
    pub fn parse(text: &str) -> Self {
        let digits = text.chars().take(32).map(|c| c.to_digit(16).unwrap_or(0));
        let value = digits.fold(0_u128, |value, digit| value << 4 | u128::from(digit));
        Self(value.to_be_bytes())
    }

    /// Returns Mirror's asset id with this number: its four bytes, most significant first, behind zeros.
    ///
    /// ```
    /// # use syncvar::values::NetworkHash128;
    /// let asset_id = NetworkHash128::from_u32(0x0176_acd4);
    /// assert_eq!(asset_id.to_string(), "0000000000000000000000000176acd4");
    /// assert_eq!(asset_id.as_u32(), Some(0x0176_acd4));
    /// ```
    pub const fn from_u32(number: u32) -> Self {
        let [a, b, c, d] = number.to_be_bytes();
        Self([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d])
    }

    /// Returns the number of a Mirror asset id; `None` for a longer hash.
    pub const fn as_u32(self) -> Option<u32> {
        match self.0 {
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] => {
                Some(u32::from_be_bytes([a, b, c, d]))
            }
            _ => None,
        }
    }

    /// Returns whether all bits are zero: the hash of no asset.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }
}

impl fmt::Display for NetworkHash128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for NetworkHash128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NetworkHash128({self})")
    }
}
