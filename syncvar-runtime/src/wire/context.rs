//! Context of an `on_serialize` or `on_deserialize`, held by the writer or reader.

use crate::schema::{PackedBits, Role};

/// Selection, audience and mask layout of an `on_serialize`.
///
/// ```
/// use syncvar::wire::NetworkWriter;
///
/// let mut writer = NetworkWriter::new();
/// let only_first = writer.context().with_fields(1);
/// writer.with_context(only_first, |writer| assert_eq!(writer.fields(), 1));
/// assert_eq!(writer.fields(), u64::MAX);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SerializeContext {
    /// Fields whose changes are written; the remaining fields stay dirty.
    pub fields: u64,
    /// Role of the reader of the snapshot.
    pub role: Role,
    /// Set if the delta contains every value, and its masks every bit.
    pub(crate) every_value: bool,
    /// Set if codecs that lose bits write the plain form of the type: see [`DeserializeContext`].
    pub(crate) plain: bool,
    /// Dirty bits of derived classes, which the mask of a base repeats.
    pub(crate) derived_bits: u64,
    pub(crate) mask: MaskLayout,
}

/// Place and form of the dirty masks of a delta.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum MaskLayout {
    /// Each class writes its mask, unpacked.
    #[default]
    Inline,
    /// One mask of the collections, in eight bytes reserved before the fields.
    Reserved {
        position: usize,
        bits: &'static PackedBits,
    },
    /// Each class with values writes a mask of its values.
    PerClass {
        /// Classes that remain to be written; bit 0 is the next one, set if it has values.
        classes: u64,
        bits: &'static PackedBits,
    },
}

/// Result of `on_serialize` besides the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SerializeReport {
    /// Operations that a snapshot of a collection left to later deltas; the most of several.
    pub pending: usize,
    /// Memory of the written sequences, collections and boxes, in bytes.
    pub memory: usize,
    /// Their number of elements.
    pub elements: usize,
}

/// Selection and mask layout of an `on_deserialize`.
#[derive(Clone, Copy, Debug)]
pub struct DeserializeContext {
    /// Fields that a mask may contain.
    pub fields: u64,
    /// Dirty bits of derived classes, which the mask of a base may contain.
    pub(crate) derived_bits: u64,
    pub(crate) mask: ReadMask,
    /// Set if deltas are relayed: a [full log](crate::OperationLog::Full) records them.
    pub(crate) relayed: bool,
    /// Set if the bytes are converted from those of a different build. Codecs that lose bits read the plain form of
    /// the type, so that a reader with another codec receives the value of the writer; keys come in the writer's order.
    pub(crate) plain: bool,
    /// Set if an optional behaviour reads its state and drops it: the state of an earlier instance.
    pub(crate) unused: bool,
}

/// Place and form of the dirty masks that are read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum ReadMask {
    /// Each class reads its mask, unpacked.
    #[default]
    Inline,
    /// One mask for all classes, which has been read already.
    Known { dirty_bits: u64 },
    /// Each class with values reads a mask of its values.
    PerClass {
        /// Classes that remain to be read; bit 0 is the next one, set if it has values.
        classes: u64,
        bits: &'static PackedBits,
    },
}

/// Result of `on_deserialize` besides the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeserializeReport {
    /// All dirty bits of the masks.
    pub seen: u64,
    /// Role in a snapshot of a class with fields for some readers only; `None` without such a class. Only a class with
    /// fields of a group names a member.
    pub role: Option<Role>,
}

impl Default for SerializeContext {
    #[inline]
    fn default() -> Self {
        Self {
            fields: u64::MAX,
            role: Role::Observer,
            every_value: false,
            plain: false,
            derived_bits: 0,
            mask: MaskLayout::Inline,
        }
    }
}

impl Default for DeserializeContext {
    #[inline]
    fn default() -> Self {
        Self {
            fields: u64::MAX,
            derived_bits: 0,
            mask: ReadMask::Inline,
            relayed: false,
            plain: false,
            unused: false,
        }
    }
}

impl SerializeContext {
    /// Limits the fields whose changes are written.
    #[must_use]
    #[inline]
    pub const fn with_fields(mut self, fields: u64) -> Self {
        self.fields = fields;
        self
    }

    /// Sets the role of the reader of the snapshot.
    #[must_use]
    #[inline]
    pub const fn with_role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }
}

impl DeserializeContext {
    /// Limits the fields that a mask may contain.
    #[must_use]
    #[inline]
    pub const fn with_fields(mut self, fields: u64) -> Self {
        self.fields = fields;
        self
    }
}
