//! Mirror's identifiers: hashes of C# names.
//!
//! Mirror's protocol carries no version and no schema. Both sides hash full .NET names to 16 bits,
//! without checks for collisions: a message by its type (`Mirror.SpawnMessage`), a remote call by
//! its method with all parameters.

mod asset;
mod csharp;

pub use asset::{AssetId, GuidError, SceneId};
pub(crate) use csharp::CSharpNames;

use syncvar_runtime::schema::character_at;

/// Returns the 32-bit hash of a name: FNV-1a over the low 8 bits of its UTF-16 code units. Mirror,
/// `Extensions.GetStableHashCode`.
///
/// ```
/// use syncvar::mirror::fnv1a32;
///
/// assert_eq!(fnv1a32("Mirror.SpawnMessage"), 0xbe66_3602);
/// assert_eq!(fnv1a32(""), 0x811c_9dc5);
/// ```
pub const fn fnv1a32(name: &str) -> u32 {
    let (mut hash, mut index) = (0x811c_9dc5, 0);
    while index < name.len() {
        let character = character_at(name, index);
        hash = add(hash, character.unit);
        if let Some(second) = character.second {
            hash = add(hash, second);
        }
        index = character.next;
    }
    hash
}

const fn add(hash: u32, code_unit: u32) -> u32 {
    (hash ^ (code_unit & 0xFF)).wrapping_mul(0x0100_0193)
}

/// Returns the 16-bit hash of a name: both halves of [`fnv1a32`], combined by XOR. It identifies
/// messages and remote calls on the wire. Mirror, `Extensions.GetStableHashCode16`.
///
/// ```
/// use syncvar::mirror::hash16;
///
/// assert_eq!(hash16("Mirror.SpawnMessage"), 34_916);
/// assert_eq!(hash16("System.Void Player::CmdFire(System.Int32)"), 16_425);
/// ```
#[expect(clippy::cast_possible_truncation, reason = "the low half is meant")]
pub const fn hash16(name: &str) -> u16 {
    let hash = fnv1a32(name);
    (hash >> 16 ^ hash) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded: `messages.json`, `stable_hash_samples`.
    #[test]
    fn hashes_use_the_low_bits_of_utf16_units() {
        for (name, long, short) in [
            ("", 0x811c_9dc5, 7385),
            ("a", 0xe40c_292c, 52_512),
            ("é€", 0xfdfc_7138, 36_036),
            ("\u{1F600}", 0xa3f4_fab8, 22_860),
        ] {
            assert_eq!(fnv1a32(name), long, "{name}");
            assert_eq!(hash16(name), short, "{name}");
        }
    }
}
