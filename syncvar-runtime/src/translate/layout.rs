//! `Layout`: how the values of a type of a schema lie on the wire, compiled once per type.
//!
//! ```text
//! SchemaType --Layout::of--> Layout --measure--> length of a value
//!                                   --read_value, write_value--> Value
//! ```
//!
//! A layout comes from the text of a remote schema. The parser limits its depth, so recursion over a layout is bounded. Loops
//! are bounded by the bytes of a value: an element takes a byte at least, or the length of all elements is known without a
//! loop.
#![deny(clippy::arithmetic_side_effects)]

mod build;
mod error;
mod integer;
mod measure;
mod order;
mod read;
mod scalar;
mod write;
mod zero;

pub use error::{UnknownType, ValueError, ValueErrorKind};
pub use integer::{Form, Integer, Width};
pub use scalar::{QuantizedSteps, Scalar};
pub(crate) use zero::MAX_ZEROS;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::schema::Measure;
use crate::value::{MemberNames, StructValue};

/// Measures of types without a layout, by the texts of the types.
pub type Measures = FxHashMap<String, Measure>;

/// Layout of the values of a type.
#[derive(Clone, Debug)]
pub enum Layout {
    /// A number, a truth value, a character or a reference.
    Scalar(Scalar),
    /// A text of at most so many bytes.
    Text {
        /// The limit in bytes, beside the limit of the encoding.
        longest: usize,
    },
    /// A number of bytes, and the bytes.
    Bytes,
    /// So many bytes.
    Raw(usize),
    /// A rotation in 4 bytes: `SmallestThree`.
    Rotation(MemberNames),
    /// Members one after another.
    Struct(StructLayout),
    /// A variant among several.
    Enum(EnumLayout),
    /// A number of elements, and the elements.
    Sequence(Box<Self>),
    /// Elements one after another.
    Array(ArrayLayout),
    /// A flag, and the value after a 1.
    Optional(Box<Self>),
    /// A number of entries, and the keys with their values, in order.
    Map(Box<MapLayout>),
    /// A number of elements, and the elements in order.
    Set(Box<Self>),
    /// A collection with operations.
    Collection(CollectionLayout),
    /// A type of the program, of which only the length is known.
    Measured(MeasuredLayout),
}

/// Layout of a struct.
#[derive(Clone, Debug)]
pub struct StructLayout {
    /// Names of the members.
    pub names: MemberNames,
    /// Layouts of the members.
    pub members: Box<[Layout]>,
    /// Length of each value in bytes, if all values have the same.
    fixed: Option<usize>,
}

/// Layout of an array.
#[derive(Clone, Debug)]
pub struct ArrayLayout {
    /// Layout of an element.
    pub element: Box<Layout>,
    /// Number of elements.
    pub count: usize,
    /// Length of each value in bytes, if all values have the same.
    fixed: Option<usize>,
}

/// Layout of an enumeration.
#[derive(Clone, Debug)]
pub struct EnumLayout {
    /// Name of the enumeration.
    pub name: Arc<str>,
    /// Variants in order.
    pub variants: Box<[VariantLayout]>,
    /// Set if a variant has members. The position of the variant is on the wire then, otherwise its number.
    pub has_data: bool,
}

/// Layout of a variant.
#[derive(Clone, Debug)]
pub struct VariantLayout {
    /// Name of the variant.
    pub name: Arc<str>,
    /// Number on the wire, if no variant has members.
    pub number: i64,
    /// Members of the variant.
    pub members: StructLayout,
}

/// Layout of a map.
#[derive(Clone, Debug)]
pub struct MapLayout {
    /// Layout of a key.
    pub key: Layout,
    /// Layout of a value.
    pub value: Layout,
}

/// Layout of a collection.
#[derive(Clone, Debug)]
pub struct CollectionLayout {
    /// Kind of the collection.
    pub kind: CollectionKind,
    /// Layouts of the elements, or of keys and values.
    pub parts: Box<[Layout]>,
}

/// Kind of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// `SyncList`.
    List,
    /// `SyncDictionary`.
    Dictionary,
    /// `SyncHashSet` or `SyncSortedSet`.
    Set,
}

/// Layout of a type of the program.
#[derive(Clone, Debug)]
pub struct MeasuredLayout {
    /// Text of the type.
    pub text: Arc<str>,
    /// Length of a value.
    pub measure: Measure,
}

impl Layout {
    /// Returns the length of each value in bytes, in both encodings, if all values have the same.
    pub fn fixed(&self) -> Option<usize> {
        match self {
            Self::Scalar(scalar) => scalar.fixed(),
            Self::Raw(length) => Some(*length),
            Self::Rotation(_) => Some(4),
            Self::Struct(layout) => layout.fixed,
            Self::Array(layout) => layout.fixed,
            Self::Text { .. }
            | Self::Bytes
            | Self::Enum(_)
            | Self::Sequence(_)
            | Self::Optional(_)
            | Self::Map(_)
            | Self::Set(_)
            | Self::Collection(_)
            | Self::Measured(_) => None,
        }
    }
}

impl StructLayout {
    /// Creates the layout of members in order.
    pub fn new(members: impl IntoIterator<Item = (Arc<str>, Layout)>) -> Self {
        let (names, members): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        let lengths = members.iter().map(Layout::fixed);
        let fixed = { lengths }.try_fold(0_usize, |sum, length| sum.checked_add(length?));
        Self {
            names: names.into(),
            members: members.into(),
            fixed,
        }
    }

    /// Creates the struct of values in the order of the members.
    fn value(&self, values: Vec<crate::value::Value>) -> StructValue {
        StructValue::new(Arc::clone(&self.names), values)
    }
}

/// Byte in a list of bytes, which are written without a form of their own.
const BYTE: Layout = Layout::Scalar(Scalar::BYTE);

impl CollectionLayout {
    /// Returns the layout of an element in the whole list, and in a splice. Single bytes have the form of integers; a list
    /// of bytes has their bits.
    pub fn in_whole<'a>(&self, element: &'a Layout) -> &'a Layout {
        match (self.kind, element) {
            (CollectionKind::List, Layout::Scalar(Scalar::Integer(integer)))
                if *integer == Integer::plain(Width::W8, false) =>
            {
                &BYTE
            }
            _ => element,
        }
    }
}

impl ArrayLayout {
    /// Creates the layout of an array.
    pub fn new(element: Layout, count: usize) -> Self {
        let fixed = match (count, element.fixed()) {
            (0, _) => Some(0),
            (_, length) => length.and_then(|length| length.checked_mul(count)),
        };
        Self {
            element: Box::new(element),
            count,
            fixed,
        }
    }
}
