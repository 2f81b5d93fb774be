//! The agreement between both ends: the behaviours of every prefab, their fields, types and order.
//!
//! The derives build these descriptions as constants. [`Prefabs`](crate::Prefabs) makes a [`Schema`] of them, whose
//! text is hashed. At connect both ends compare the two hashes; where they differ, the client resolves the text of
//! the server.

mod call_table;
mod calls;
mod changed_fields;
pub mod document;
mod field_bit;
mod packed_bits;
mod policy;
mod report;
mod types;
mod utf16;

use std::fmt;

pub use call_table::CallTable;
pub use calls::{CallKind, CallSchema, Target};
pub use changed_fields::{BehaviourClass, Changed, ChangedFields};
pub use document::{
    MAX_SCHEMA_TEXT, MAX_TYPE_DEPTH, Names, Schema, SchemaBehaviour, SchemaCall, SchemaClass,
    SchemaError, SchemaField, SchemaMember, SchemaMessage, SchemaPrefab, SchemaType, SchemaVariant,
};
pub(crate) use field_bit::each_position;
pub use field_bit::{FieldBit, Inherits, each_bit};
pub use packed_bits::PackedBits;
pub use policy::{FieldPolicy, PolicyBits, Readers, Role, Writers};
pub use report::SchemaReport;
pub use types::{Measure, MemberSchema, TypeSchema, VariantSchema};
pub use utf16::{Character, character_at};

/// Description of a behaviour.
#[derive(Clone, Copy, Debug)]
pub struct BehaviourSchema {
    /// Name of the struct.
    pub name: &'static str,
    /// Description of the base, if the class has one.
    pub base: Option<&'static BehaviourSchema>,
    /// Fields of this class without its bases, in declaration order.
    pub fields: &'static [FieldSchema],
}

/// Description of a synchronised field.
#[derive(Clone, Copy, Debug)]
pub struct FieldSchema {
    /// Name of the field.
    pub name: &'static str,
    /// Former names, newest first.
    pub was: &'static [&'static str],
    /// Type of its value.
    pub schema: TypeSchema,
    /// Readers, writer and send interval of the field.
    pub policy: FieldPolicy,
    /// `SyncField::RESENDABLE`: set if a delta written after `set_dirty` repairs every loss.
    pub resendable: bool,
    /// Set if the hook also runs for the first state that a client receives of an object.
    pub initial_hook: bool,
    /// Samples of the field; `None` without values between them. The two ends need not agree.
    pub samples: Option<SampleSchema>,
}

/// Description of the samples of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleSchema {
    /// Set if a server keeps previous values of the field.
    pub history: bool,
    /// Set if the field has a hook at the view time.
    pub on_view: bool,
}

impl FieldSchema {
    /// Describes a field with the default policy, whose changes cannot be sent again.
    pub const fn new(name: &'static str, schema: TypeSchema) -> Self {
        Self {
            name,
            was: &[],
            schema,
            policy: FieldPolicy::DEFAULT,
            resendable: false,
            initial_hook: false,
            samples: None,
        }
    }

    /// Sets the former names, newest first: `#[sync_var(was = "hp")]`.
    #[must_use]
    pub const fn was(mut self, names: &'static [&'static str]) -> Self {
        self.was = names;
        self
    }

    /// Sets whether a repeated delta repairs every loss: see `SyncField::RESENDABLE`.
    #[must_use]
    pub const fn resendable(mut self, resendable: bool) -> Self {
        self.resendable = resendable;
        self
    }

    /// Sets readers, writer and send interval.
    #[must_use]
    pub const fn policy(mut self, policy: FieldPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Lets the hook also run for the first state of an object.
    #[must_use]
    pub const fn initial_hook(mut self) -> Self {
        self.initial_hook = true;
        self
    }

    /// Gives the field values between its samples.
    #[must_use]
    pub const fn interpolated(mut self) -> Self {
        self.samples = Some(SampleSchema {
            history: false,
            on_view: false,
        });
        self
    }

    /// Lets a server keep previous values of the field, which is [interpolated](Self::interpolated).
    #[must_use]
    pub const fn history(mut self) -> Self {
        if let Some(samples) = &mut self.samples {
            samples.history = true;
        }
        self
    }

    /// Gives the field, which is [interpolated](Self::interpolated), a hook at the view time:
    /// `BehaviourInfo::on_view`.
    #[must_use]
    pub const fn on_view(mut self) -> Self {
        if let Some(samples) = &mut self.samples {
            samples.on_view = true;
        }
        self
    }
}

/// Text that both ends compare: the type, the readers and the writers.
impl fmt::Display for FieldSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.schema, self.policy)
    }
}

/// Limit of behaviours on an object: each has a bit in a word.
pub const MAX_BEHAVIOURS: usize = 64;

/// Limit of fields in a behaviour, including its bases.
pub const MAX_SYNC_VARS: u32 = 64;

/// Defines methods that return the dirty bits of the fields with a property, including those of the bases.
macro_rules! bits_of_fields {
    ($($(#[$doc:meta])* $visibility:vis $name:ident($field:ident) $is_one:expr;)*) => {$(
        $(#[$doc])*
        $visibility const fn $name(&self) -> u64 {
            let (first, mut bits) = match self.base {
                Some(base) => (base.field_count(), base.$name()),
                None => (0, 0),
            };
            let mut index = 0;
            while index < self.fields.len() {
                let $field = &self.fields[index];
                if $is_one {
                    bits |= bit_at(first, index);
                }
                index += 1;
            }
            bits
        }
    )*};
}

impl BehaviourSchema {
    /// Returns the number of fields, including the bases.
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

    /// Returns the dirty bit of a derived class's field, at `index` behind the inherited fields.
    ///
    /// # Panics
    ///
    /// From the 65th field on. The derive calls it in a constant, where the panic is a compile error.
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

    /// Returns the dirty bits of every field, including the bases.
    pub const fn dirty_bits(&self) -> u64 {
        match self.field_count() {
            0 => 0,
            count if count >= MAX_SYNC_VARS => u64::MAX,
            count => (1 << count) - 1,
        }
    }

    /// Returns the dirty bits of the fields of this class, without its bases.
    pub const fn own_bits(&self) -> u64 {
        match self.base {
            Some(base) => self.dirty_bits() & !base.dirty_bits(),
            None => self.dirty_bits(),
        }
    }

    /// Returns whether a repeated delta repairs every loss, in each field: see
    /// `SyncField::RESENDABLE`.
    pub const fn resendable(&self) -> bool {
        let mut index = 0;
        while index < self.fields.len() {
            if !self.fields[index].resendable {
                return false;
            }
            index += 1;
        }
        match self.base {
            Some(base) => base.resendable(),
            None => true,
        }
    }

    bits_of_fields! {
        /// Returns the dirty bits of the fields with a hook that also runs for the first state.
        pub initial_hooks(field) field.initial_hook;
        /// Returns the dirty bits of the fields with values between their samples.
        pub interpolated(field) field.samples.is_some();
        /// Returns the dirty bits of the fields whose previous values a server keeps.
        pub history(field) matches!(field.samples, Some(SampleSchema { history: true, .. }));
        /// Returns the dirty bits of the fields with a hook at the view time.
        pub on_view(field) matches!(field.samples, Some(SampleSchema { on_view: true, .. }));
        /// Returns the dirty bits of the fields that send operations, by their types.
        pub(crate) operation_bits(field) field.schema.is_collection();
    }

    /// Returns the field of a dirty bit, counted from 0 with the bases' fields first.
    pub fn field(&self, index: u32) -> Option<FieldSchema> {
        let inherited = self.base.map_or(0, BehaviourSchema::field_count);
        match index.checked_sub(inherited) {
            Some(own) => self.fields.get(usize::try_from(own).ok()?).copied(),
            None => self.base?.field(index),
        }
    }

    /// Returns the names of the fields with a set bit, in order.
    pub fn field_names(&self, dirty_bits: u64) -> impl Iterator<Item = &'static str> {
        let set = (0..self.field_count()).filter(move |index| dirty_bits >> index & 1 == 1);
        set.filter_map(|index| self.field(index))
            .map(|field| field.name)
    }
}

/// Returns whether a behaviour with a name is meant by a name: the name itself, or that of the behaviour in `Optional<>`.
pub(crate) fn is_named(behaviour: &str, name: &str) -> bool {
    let optional = || behaviour.strip_prefix("Optional<")?.strip_suffix('>');
    behaviour == name || optional() == Some(name)
}

/// Returns the bit of a class's field behind `first` inherited fields; none from the 65th field on,
/// which `bit_after` refuses.
const fn bit_at(first: u32, index: usize) -> u64 {
    let place = first as usize + index;
    if place < MAX_SYNC_VARS as usize {
        1 << place
    } else {
        0
    }
}

/// Refuses a number of an enumeration that does not fit its 32 bits on the wire. The derive calls it
/// in a constant.
///
/// # Panics
///
/// When the number does not fit: in a constant, a compile error.
#[track_caller]
pub const fn assert_fits_32_bits(number: i128) {
    assert!(
        number >= i32::MIN as i128 && number <= u32::MAX as i128,
        "the number of this variant does not fit the 32 bits that an enum has on the wire: give it one \
         between -2147483648 and 4294967295"
    );
}
