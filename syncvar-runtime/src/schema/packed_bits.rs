//! Packed dirty bits: collections and values of a behaviour, counted separately.

use super::{BehaviourSchema, MAX_SYNC_VARS};

/// Collections and values of a behaviour as dirty bits. Each kind has its own numbers in a packed mask,
/// as in Mirror, the fields of the bases first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedBits {
    /// Collections: Mirror's `SyncObject`s.
    pub collections: u64,
    /// The remaining fields: Mirror's `SyncVar`s.
    pub values: u64,
    /// Fields of deltas: all fields except those for snapshots only.
    pub changes: u64,
    /// Classes with a mask for their values. Bit *i* is the *i*th class with fields, the bases first;
    /// it is set if at least one field is a value.
    pub classes: u64,
}

impl BehaviourSchema {
    /// Divides the fields into collections and values.
    pub(crate) const fn packed_bits(&self) -> PackedBits {
        let (collections, all) = (self.operation_bits(), self.dirty_bits());
        PackedBits {
            collections,
            values: all & !collections,
            changes: all & !self.policy_bits().initial_only,
            classes: self.classes().0,
        }
    }

    /// Returns the bits of the classes with a value, and the number of classes with fields.
    const fn classes(&self) -> (u64, u32) {
        let (mut classes, count) = match self.base {
            Some(base) => base.classes(),
            None => (0, 0),
        };
        if self.fields.is_empty() {
            return (classes, count);
        }
        let mut index = 0;
        while index < self.fields.len() {
            // More than 64 classes have more than 64 fields, which `bit_after` refuses.
            if !self.fields[index].schema.is_collection() && count < MAX_SYNC_VARS {
                classes |= 1 << count;
            }
            index += 1;
        }
        (classes, count + 1)
    }
}

impl PackedBits {
    /// Packs the values among some dirty bits.
    #[inline]
    pub const fn pack_values(&self, dirty_bits: u64) -> u64 {
        pack(dirty_bits, self.values)
    }

    /// Unpacks values. Drops bits without a field.
    #[inline]
    pub const fn unpack_values(&self, packed: u64) -> u64 {
        unpack(packed, self.values)
    }

    /// Packs the collections among some dirty bits.
    #[inline]
    pub const fn pack_collections(&self, dirty_bits: u64) -> u64 {
        pack(dirty_bits, self.collections)
    }

    /// Unpacks collections. Drops bits without a field.
    #[inline]
    pub const fn unpack_collections(&self, packed: u64) -> u64 {
        unpack(packed, self.collections)
    }
}

/// Returns whether the bits of a mask are adjacent from the lowest on, so that packing moves none.
const fn is_dense(mask: u64) -> bool {
    mask & mask.wrapping_add(1) == 0
}

/// Returns the bits at the places of a mask, moved together.
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

/// Returns the lowest bits, moved to the places of a mask.
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
    use super::{PackedBits, pack, unpack};
    use crate::{BehaviourSchema, FieldPolicy, FieldSchema, TypeSchema};

    const VALUE: FieldSchema = FieldSchema::new("value", TypeSchema::Named("i32"));
    const LIST: FieldSchema = FieldSchema::new(
        "list",
        TypeSchema::Collection {
            name: "SyncList",
            parts: &[],
        },
    );
    const ONCE: FieldSchema = LIST.policy(FieldPolicy {
        initial_only: true,
        ..FieldPolicy::DEFAULT
    });

    const fn level(
        base: Option<&'static BehaviourSchema>,
        fields: &'static [FieldSchema],
    ) -> BehaviourSchema {
        let name = "Level";
        BehaviourSchema { name, base, fields }
    }

    #[test]
    fn masks_are_packed_and_unpacked() {
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
        assert_eq!(unpack(u64::MAX, 0b1010), 0b1010, "more bits than places");
    }

    #[test]
    fn fields_of_all_classes_are_divided() {
        static BASE: BehaviourSchema = level(None, &[VALUE, LIST]);
        static EMPTY: BehaviourSchema = level(Some(&BASE), &[]);
        static LISTS: BehaviourSchema = level(Some(&EMPTY), &[LIST, ONCE]);
        static LEAF: BehaviourSchema = level(Some(&LISTS), &[VALUE, VALUE]);
        let expected = PackedBits {
            collections: 0b01110,
            values: 0b110_001,
            changes: 0b110_111,
            classes: 0b101,
        };
        assert_eq!(LEAF.packed_bits(), expected);
        assert_eq!(LEAF.packed_bits().pack_values(0b110_010), 0b110);
        assert_eq!(LISTS.packed_bits().classes, 0b01);
    }
}
