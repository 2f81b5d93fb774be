//! Ids of prefabs and scene objects.

use std::fmt;
use std::str::FromStr;

use super::fnv1a32;

/// Id of a prefab on the wire: `_assetId` in the prefab's file. 0 means no prefab.
///
/// Unity's editor computes it from the GUID in the `.meta` file beside the prefab. Unity 2021.2 and newer compute a
/// different number than older editors; the prefab's file shows which editor saved it, by its id:
///
/// ```
/// use syncvar::mirror::AssetId;
///
/// let guid = "6f43bf5488a7443d19ab2a83c6b91f35";
/// assert_eq!(AssetId::from_guid(guid)?, AssetId(2638947628));
/// assert_eq!(AssetId::legacy_from_guid(guid)?, AssetId(3454335836));
/// # Ok::<(), syncvar_mirror::GuidError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(pub u32);

/// Id of a scene object on the wire. 0 means no scene object.
///
/// Unity's editor gives each object 32 random bits, kept in the scene's file as `sceneId`; the
/// build puts a hash of the scene's path above them.
///
/// ```
/// use syncvar::mirror::SceneId;
///
/// let door = SceneId::in_scene("Assets/Scenes/Town.unity", 0x1234_5678);
/// assert_eq!(door, SceneId::in_scene("assets/scenes/town.unity", 0x1234_5678));
/// assert_eq!(door.low(), 0x1234_5678);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SceneId(pub u64);

/// Error of a malformed GUID: 32 hexadecimal digits are valid, with or without dashes between
/// groups of 8, 4, 4, 4 and 12.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a GUID of 32 hexadecimal digits")]
pub struct GuidError(String);

impl AssetId {
    /// No prefab.
    pub const NONE: Self = Self(0);

    /// Returns the id of a GUID in Unity 2021.2 and newer: 32 hexadecimal digits as in a `.meta` file, or with dashes
    /// as in .NET.
    ///
    /// # Errors
    ///
    /// Fails for a malformed GUID.
    pub fn from_guid(guid: &str) -> Result<Self, GuidError> {
        Ok(Self::from_guid_bytes(guid_bytes(guid)?))
    }

    /// Returns the id of a GUID in Unity 2021.1 and older. A prefab keeps it until a newer editor saves the prefab.
    ///
    /// # Errors
    ///
    /// Fails for a malformed GUID.
    pub fn legacy_from_guid(guid: &str) -> Result<Self, GuidError> {
        Ok(Self::legacy_from_guid_bytes(guid_bytes(guid)?))
    }

    /// Returns the id of a GUID of 16 bytes in the order of its text (as in the crate `uuid`), in Unity 2021.2 and
    /// newer. Mirror, `NetworkIdentity.AssetGuidToUint`; .NET Core, `Guid.GetHashCode`.
    pub const fn from_guid_bytes(guid: [u8; 16]) -> Self {
        let [a1, a2, a3, a4, b1, b2, c1, c2, rest @ ..] = guid;
        let [d1, d2, d3, d4, e1, e2, e3, e4] = rest;
        // In memory the first three groups are numbers, least significant byte first.
        let words = [
            u32::from_be_bytes([a1, a2, a3, a4]),
            u32::from_be_bytes([c1, c2, b1, b2]),
            u32::from_le_bytes([d1, d2, d3, d4]),
            u32::from_le_bytes([e1, e2, e3, e4]),
        ];
        Self(words[0] ^ words[1] ^ words[2] ^ words[3])
    }

    /// Returns the id of a GUID of 16 bytes in the order of its text, in Unity 2021.1 and older. Mirror,
    /// `NetworkIdentity.AssetGuidToUint`; Mono before version 6, `Guid.GetHashCode`.
    pub const fn legacy_from_guid_bytes(guid: [u8; 16]) -> Self {
        let [a1, a2, a3, a4, b1, b2, c1, c2, _, _, f, _, _, _, _, k] = guid;
        let first = u32::from_be_bytes([a1, a2, a3, a4]);
        let second = u32::from_be_bytes([b1, b2, c1, c2]);
        let third = u32::from_be_bytes([f, 0, 0, k]);
        Self(first ^ second ^ third)
    }
}

/// Parses a GUID into its bytes, in the order of the text.
fn guid_bytes(guid: &str) -> Result<[u8; 16], GuidError> {
    let digits: String = match guid.len() {
        36 if [8, 13, 18, 23]
            .iter()
            .all(|dash| guid.get(*dash..=*dash) == Some("-")) =>
        {
            guid.replace('-', "")
        }
        _ => guid.into(),
    };
    match u128::from_str_radix(&digits, 16) {
        Ok(number) if digits.len() == 32 && !digits.starts_with('+') => Ok(number.to_be_bytes()),
        _ => Err(GuidError(guid.into())),
    }
}

impl From<u32> for AssetId {
    fn from(number: u32) -> Self {
        Self(number)
    }
}

/// As [`AssetId::from_guid`].
impl FromStr for AssetId {
    type Err = GuidError;

    fn from_str(guid: &str) -> Result<Self, GuidError> {
        Self::from_guid(guid)
    }
}

impl fmt::Display for AssetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl SceneId {
    /// No scene object.
    pub const NONE: Self = Self(0);

    /// Returns the id of an object in a scene: from the scene's path in Unity
    /// (`Assets/Scenes/Town.unity`, in any case), and the low 32 bits from the scene's file.
    pub fn in_scene(path: &str, low: u32) -> Self {
        let high = fnv1a32(&path.to_lowercase());
        Self(u64::from(high) << 32 | u64::from(low))
    }

    /// Returns the low 32 bits, which are independent of the scene's path.
    #[expect(clippy::cast_possible_truncation, reason = "the low half is meant")]
    pub const fn low(self) -> u32 {
        self.0 as u32
    }
}

impl From<u64> for SceneId {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for SceneId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_parse_with_and_without_dashes() {
        let plain = AssetId::from_guid("00112233445566778899AABBCCDDEEFF");
        assert_eq!(
            plain,
            AssetId::from_guid("00112233-4455-6677-8899-aabbccddeeff")
        );
        // 00112233 ^ 66774455 ^ bbaa9988 ^ ffeeddcc
        assert_eq!(plain, Ok(AssetId(0x2222_2222)));
    }

    #[test]
    fn guid_has_an_id_of_newer_and_one_of_older_editors() {
        let guid = "6f43bf5488a7443d19ab2a83c6b91f35";
        assert_eq!(AssetId::from_guid(guid), Ok(AssetId(2_638_947_628)));
        assert_eq!(AssetId::legacy_from_guid(guid), Ok(AssetId(3_454_335_836)));
        // 00112233 ^ 44556677 ^ (aa << 24 | ff)
        let older = AssetId::legacy_from_guid("00112233445566778899aabbccddeeff");
        assert_eq!(older, Ok(AssetId(0xee44_44bb)));
    }

    #[test]
    fn malformed_guids_are_refused() {
        for text in [
            "",
            "1001",
            "+0112233445566778899aabbccddeeff",
            "00112233-445566778899aabbccddeeff---",
            "0011223344556677-8899-aabbccddeeff--",
            "0011223344556677889gaabbccddeeff",
            "00112233445566778899aabbccddeeff0",
            "0011é",
        ] {
            assert_eq!(AssetId::from_guid(text), Err(GuidError(text.into())));
            assert_eq!(AssetId::legacy_from_guid(text), Err(GuidError(text.into())));
        }
    }

    #[test]
    fn scene_id_combines_path_hash_and_random_bits() {
        let id = SceneId::in_scene("Assets/Game.unity", 7);
        assert_eq!(id.0 >> 32, u64::from(fnv1a32("assets/game.unity")));
        assert_eq!(id.low(), 7);
    }
}
