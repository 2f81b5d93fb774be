//! What both ends must agree on: the behaviours of every prefab, their fields, types and order.
//!
//! The derives build these descriptions as constants; [`Prefabs`](crate::Prefabs) renders them to
//! text and hashes it. At connect the two hashes are compared, and if they differ the two texts are
//! searched for the first behaviour and field that differ.

mod calls;
mod changed_fields;
mod rules;
mod sections;
mod utf16;

use std::fmt;

pub use calls::{CallKind, CallSchema, CallTable, Target};
pub use changed_fields::ChangedFields;
pub use rules::RuleBits;
pub use rules::{FieldRules, Readers, Writers};
pub use sections::Sections;
pub use utf16::{Character, character_at};

/// The description of a behaviour.
#[derive(Clone, Copy, Debug)]
pub struct BehaviourSchema {
    /// The struct's name.
    pub name: &'static str,
    /// The base's description, if there is a base.
    pub base: Option<&'static BehaviourSchema>,
    /// The fields of its own, in declaration order.
    pub fields: &'static [FieldSchema],
}

/// The description of a synchronised field.
#[derive(Clone, Copy, Debug)]
pub struct FieldSchema {
    /// The field's name.
    pub name: &'static str,
    /// What it holds.
    pub schema: TypeSchema,
}

/// The description of a type on the wire.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TypeSchema {
    /// A type whose name says everything.
    Named(&'static str),
    /// Members one after another.
    Struct {
        /// The struct's name.
        name: &'static str,
        /// Its members that travel, in declaration order.
        members: &'static [MemberSchema],
    },
    /// One of several variants.
    Enum {
        /// The enumeration's name.
        name: &'static str,
        /// Its variants, in declaration order.
        variants: &'static [VariantSchema],
    },
    /// Any number of elements.
    Sequence(&'static TypeSchema),
    /// So many elements.
    Array(&'static TypeSchema, usize),
    /// One value or none.
    Optional(&'static TypeSchema),
    /// Any number of keys, each with a value.
    Map(&'static TypeSchema, &'static TypeSchema),
    /// Any number of elements, none of them twice.
    Set(&'static TypeSchema),
    /// A collection that sends its changes as operations. In the `Mirror` encoding it is a `SyncObject` and
    /// stands before all fields that are none.
    Collection {
        /// The collection's name.
        name: &'static str,
        /// What it is made of: elements, or keys and values.
        parts: &'static [TypeSchema],
    },
    /// A value that travels in another way than its type does by itself: see
    /// [`SyncCodec`](crate::SyncCodec).
    Encoded {
        /// The codec's name.
        codec: &'static str,
        /// Whatever else decides the bytes: bounds, steps, bits.
        parameters: &'static [i64],
        /// What is encoded.
        value: &'static TypeSchema,
    },
    /// A field that not everyone reads, that the server does not write, or that is not sent with
    /// every update. Only as the schema of a field.
    Ruled {
        /// Its rules.
        rules: FieldRules,
        /// What the field holds.
        value: &'static TypeSchema,
    },
}

/// The description of a member of a struct or variant.
#[derive(Clone, Copy, Debug)]
pub struct MemberSchema {
    /// The member's name, or its position.
    pub name: &'static str,
    /// What it holds.
    pub schema: TypeSchema,
}

/// The description of a variant of an enumeration.
#[derive(Clone, Copy, Debug)]
pub struct VariantSchema {
    /// The variant's name.
    pub name: &'static str,
    /// Its number on the wire.
    pub number: i64,
    /// Its members.
    pub members: &'static [MemberSchema],
}

/// The most fields that a behaviour can have, those of its bases included.
pub const MAX_SYNC_VARS: u32 = 64;

impl BehaviourSchema {
    /// How many fields the behaviour has, those of its bases included.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked against 64 by `bit_after`"
    )]
    pub const fn field_count(&self) -> u32 {
        let inherited = match self.base {
            Some(base) => base.field_count(),
            None => 0,
        };
        inherited + self.fields.len() as u32
    }

    /// The dirty bit of a field of a derived class that has `index` fields of its own before it.
    ///
    /// # Panics
    ///
    /// From the 65th field on: in a constant, which is where the derive uses it, that is a compile
    /// error.
    #[track_caller]
    pub const fn bit_after(&self, index: u32) -> u64 {
        let index = self.field_count() + index;
        assert!(
            index < MAX_SYNC_VARS,
            "more than 64 synchronised fields, those of the bases included: move some of them to a \
             second behaviour on the same object"
        );
        1 << index
    }

    /// The dirty bits of all fields, those of the bases included.
    pub const fn dirty_bits(&self) -> u64 {
        match self.field_count() {
            0 => 0,
            count if count >= MAX_SYNC_VARS => u64::MAX,
            count => (1 << count) - 1,
        }
    }

    /// The dirty bits of those fields that send their changes as operations, as their types say.
    pub(crate) const fn operation_bits(&self) -> u64 {
        let (inherited, mut bits) = match self.base {
            Some(base) => (base.field_count(), base.operation_bits()),
            None => (0, 0),
        };
        let mut index = 0;
        while index < self.fields.len() {
            let place = inherited as usize + index;
            // More fields than bits are an error, and told in another place.
            if self.fields[index].schema.is_collection() && place < MAX_SYNC_VARS as usize {
                bits |= 1 << place;
            }
            index += 1;
        }
        bits
    }

    /// The field that owns a dirty bit, counted from 0 with the bases' fields first.
    pub fn field(&self, index: u32) -> Option<FieldSchema> {
        let inherited = self.base.map_or(0, BehaviourSchema::field_count);
        match index.checked_sub(inherited) {
            Some(own) => self.fields.get(usize::try_from(own).ok()?).copied(),
            None => self.base?.field(index),
        }
    }

    /// The names of the fields whose bits are set, in order.
    pub fn field_names(&self, dirty_bits: u64) -> impl Iterator<Item = &'static str> {
        let set = (0..self.field_count()).filter(move |index| dirty_bits >> index & 1 == 1);
        set.filter_map(|index| self.field(index))
            .map(|field| field.name)
    }
}

/// Refuses a number of an enumeration that does not fit the 32 bits it has on the wire: in a
/// constant, which is where the derive uses it, that is a compile error.
#[doc(hidden)]
#[track_caller]
pub const fn assert_fits_32_bits(number: i128) {
    assert!(
        number >= i32::MIN as i128 && number <= u32::MAX as i128,
        "the number of this variant does not fit the 32 bits that an enum has on the wire: give it one \
         between -2147483648 and 4294967295"
    );
}

impl fmt::Display for TypeSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Struct { name, members } => {
                write!(f, "{name} ")?;
                write_members(f, members)
            }
            Self::Enum { name, variants } => {
                write!(f, "{name} [")?;
                for (index, variant) in variants.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{} = {}", variant.name, variant.number)?;
                    if !variant.members.is_empty() {
                        f.write_str(" ")?;
                        write_members(f, variant.members)?;
                    }
                }
                f.write_str("]")
            }
            Self::Sequence(element) => write!(f, "[{element}]"),
            Self::Array(element, count) => write!(f, "[{element}; {count}]"),
            Self::Optional(value) => write!(f, "{value}?"),
            Self::Map(key, value) => write!(f, "[{key}: {value}]"),
            Self::Set(element) => write!(f, "{{{element}}}"),
            Self::Collection { name, parts } => {
                write!(f, "{name}<")?;
                for (index, part) in parts.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{part}")?;
                }
                f.write_str(">")
            }
            Self::Encoded {
                codec,
                parameters,
                value,
            } => {
                write!(f, "{value} as {codec}")?;
                write_parameters(f, parameters)
            }
            Self::Ruled { rules, value } => write!(f, "{value}{rules}"),
        }
    }
}

/// `<-500, 500, 100>`, or nothing where there is nothing.
fn write_parameters(f: &mut fmt::Formatter<'_>, parameters: &[i64]) -> fmt::Result {
    for (index, parameter) in parameters.iter().enumerate() {
        let separator = if index == 0 { "<" } else { ", " };
        write!(f, "{separator}{parameter}")?;
    }
    f.write_str(if parameters.is_empty() { "" } else { ">" })
}

fn write_members(f: &mut fmt::Formatter<'_>, members: &[MemberSchema]) -> fmt::Result {
    f.write_str("{")?;
    for (index, member) in members.iter().enumerate() {
        let separator = if index == 0 { " " } else { ", " };
        write!(f, "{separator}{}: {}", member.name, member.schema)?;
    }
    f.write_str(" }")
}
