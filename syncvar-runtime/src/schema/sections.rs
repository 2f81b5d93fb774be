//! The two sections of a behaviour in the `Mirror` encoding: its collections, and its other fields.

use super::{BehaviourSchema, MAX_SYNC_VARS};

/// Which fields belong to which section, as dirty bits. Mirror counts the fields of each section by
/// themselves, those of the bases first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sections {
    /// The collections: Mirror's `SyncObject`s.
    pub collections: u64,
    /// All other fields: Mirror's `SyncVar`s.
    pub values: u64,
    /// The fields that can be in a change: all but those that travel with the full state only.
    pub changes: u64,
    /// Bit *i* is set if the *i*th of the classes that have fields of their own, the bases first, has
    /// values: its mask stands before them.
    pub levels: u64,
}

impl BehaviourSchema {
    /// How the fields are divided in the `Mirror` encoding.
    pub(crate) const fn sections(&self) -> Sections {
        let (collections, all) = (self.operation_bits(), self.dirty_bits());
        Sections {
            collections,
            values: all & !collections,
            changes: all & !self.rule_bits().initial_only,
            levels: self.levels().0,
        }
    }

    /// The classes that have values among those that have fields of their own, and how many the latter
    /// are.
    const fn levels(&self) -> (u64, u32) {
        let (mut levels, count) = match self.base {
            Some(base) => base.levels(),
            None => (0, 0),
        };
        if self.fields.is_empty() {
            return (levels, count);
        }
        let mut index = 0;
        while index < self.fields.len() {
            // More classes than bits have more fields than bits: that is told in another place.
            if !self.fields[index].schema.is_collection() && count < MAX_SYNC_VARS {
                levels |= 1 << count;
            }
            index += 1;
        }
        (levels, count + 1)
    }
}

impl Sections {
    /// The values of these dirty bits, as Mirror counts them.
    #[inline]
    pub const fn pack_values(&self, dirty_bits: u64) -> u64 {
        pack(dirty_bits, self.values)
    }

    /// The dirty bits of the values that Mirror counts so. Bits that belong to none are left out.
    #[inline]
    pub const fn unpack_values(&self, packed: u64) -> u64 {
        unpack(packed, self.values)
    }

    /// The collections of these dirty bits, as Mirror counts them.
    #[inline]
    pub const fn pack_collections(&self, dirty_bits: u64) -> u64 {
        pack(dirty_bits, self.collections)
    }

    /// The dirty bits of the collections that Mirror counts so. Bits that belong to none are left out.
    #[inline]
    pub const fn unpack_collections(&self, packed: u64) -> u64 {
        unpack(packed, self.collections)
    }
}

/// Whether the bits of a mask stand side by side from the lowest on, so that there is nothing to move.
const fn is_dense(mask: u64) -> bool {
    mask & mask.wrapping_add(1) == 0
}

/// The bits at the places of a mask, moved together.
const fn pack(bits: u64, mask: u64) -> u64 {
    if is_dense(mask) {
        return bits & mask;
    }
    let (mut left, mut packed) = (bits & mask, 0);
    while left != 0 {
        let bit = left & left.wrapping_neg();
        packed |= 1 << (mask & (bit - 1)).count_ones();
        left ^= bit;
    }
    packed
}

/// The lowest bits, moved to the places of a mask.
const fn unpack(packed: u64, mask: u64) -> u64 {
    if is_dense(mask) {
        return packed & mask;
    }
    let (mut left, mut places, mut bits) = (packed, mask, 0);
    while left != 0 && places != 0 {
        let place = places & places.wrapping_neg();
        if left & 1 != 0 {
            bits |= place;
        }
        left >>= 1;
        places ^= place;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::{Sections, pack, unpack};
    use crate::{BehaviourSchema, FieldRules, FieldSchema, TypeSchema};

    const VALUE: FieldSchema = FieldSchema {
        name: "value",
        schema: TypeSchema::Named("i32"),
    };
    const LIST: FieldSchema = FieldSchema {
        name: "list",
        schema: TypeSchema::Collection {
            name: "SyncList",
            parts: &[],
        },
    };
    const ONCE: FieldSchema = FieldSchema {
        name: "once",
        schema: TypeSchema::Ruled {
            rules: FieldRules {
                initial_only: true,
                ..FieldRules::USUAL
            },
            value: &LIST.schema,
        },
    };

    const fn level(
        base: Option<&'static BehaviourSchema>,
        fields: &'static [FieldSchema],
    ) -> BehaviourSchema {
        let name = "Level";
        BehaviourSchema { name, base, fields }
    }

    #[test]
    fn masks_are_moved_together_and_apart() {
        for (bits, mask, packed) in [
            (0b1011, 0b1111, 0b1011),
            (0b1011, 0b1010, 0b11),
            (u64::MAX, 0b1010, 0b11),
            (1 << 63, 1 << 63 | 1, 0b10),
            (u64::MAX, u64::MAX, u64::MAX),
            (u64::MAX, 0, 0),
        ] {
            assert_eq!(pack(bits, mask), packed, "{bits:b} {mask:b}");
            assert_eq!(unpack(packed, mask), bits & mask, "{bits:b} {mask:b}");
        }
        assert_eq!(unpack(u64::MAX, 0b1010), 0b1010, "more than there are");
    }

    #[test]
    fn fields_are_divided_over_all_classes() {
        static BASE: BehaviourSchema = level(None, &[VALUE, LIST]);
        static EMPTY: BehaviourSchema = level(Some(&BASE), &[]);
        static LISTS: BehaviourSchema = level(Some(&EMPTY), &[LIST, ONCE]);
        static LEAF: BehaviourSchema = level(Some(&LISTS), &[VALUE, VALUE]);
        let expected = Sections {
            collections: 0b01110,
            values: 0b110_001,
            changes: 0b110_111,
            levels: 0b101,
        };
        assert_eq!(LEAF.sections(), expected);
        assert_eq!(LEAF.sections().pack_values(0b110_010), 0b110);
        assert_eq!(LISTS.sections().levels, 0b01);
    }
}
