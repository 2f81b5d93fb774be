//! What Mirror knows things by: numbers made of the names that they have in C#.
//!
//! Nothing in Mirror's protocol says what version it is or what types there are. Both sides hash full
//! .NET names to 16 bits and hope that these differ: a message by its type (`Mirror.SpawnMessage`), a
//! remote call by its method with all parameters.

mod asset;
mod csharp;

pub use asset::{AssetId, GuidError, SceneId};
pub(crate) use csharp::CSharpNames;

use syncvar_runtime::schema::character_at;

/// The 32-bit hash of a name: FNV-1a over its UTF-16 code units, of each of which the low 8 bits count.
/// Mirror, `Extensions.GetStableHashCode`.
///
/// ```
/// use syncvar_mirror::fnv1a32;
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

/// The 16-bit hash of a name: the two halves of [`fnv1a32`], each bit the one or the other. This is what
/// names messages and remote calls on the wire. Mirror, `Extensions.GetStableHashCode16`.
///
/// ```
/// use syncvar_mirror::hash16;
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
    fn names_are_hashed_by_the_low_bits_of_their_utf16_units() {
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
