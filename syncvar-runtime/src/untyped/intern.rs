//! Descriptions of learned behaviours, kept for the lifetime of the process.
//!
//! The update loop and the events refer to a class by `&'static` references, because compiled classes are constants. So the
//! descriptions of learned classes stay in memory. Equal behaviours share one description, and all of them together have a
//! limit: a server that changes its schema at each connection cannot fill the memory of a client.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::class::UntypedClass;
use super::schema::class_of;
use crate::schema::{
    MemberSchema, Names, SchemaBehaviour, SchemaMember, SchemaType, TypeSchema, VariantSchema,
};
use crate::translate::layout::{Layout, Measures, UnknownType};

pub(super) use leak::Leaks;

/// Limit of the memory of all learned descriptions, in bytes.
const MAX_MEMORY: usize = 16 << 20;

/// Memory of a description for each byte of its text, about: types, layouts, names.
const MEMORY_PER_BYTE: usize = 4;

/// Descriptions by their texts.
#[derive(Default)]
struct Interned {
    classes: HashMap<String, &'static UntypedClass>,
    types: HashMap<String, &'static UntypedType>,
    memory: usize,
}

static INTERNED: LazyLock<Mutex<Interned>> = LazyLock::new(Mutex::default);

/// A schema of which a client without compiled types cannot make objects.
///
/// ```
/// use syncvar::{prelude::*, schema::Schema};
///
/// let text = "\
/// prefab lamp 9a3d1e3b757277b806e95d7fa0654b01
///   behaviour Lamp, channel 0
///     class Lamp
///       level: Percent
/// ";
/// let error = Prefabs::from_schema(&Schema::parse(text)?).unwrap_err();
/// let text = "prefab `lamp`, Lamp.level: the layout of the type `Percent` is unknown";
/// assert_eq!(error.to_string(), text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UntypedError {
    /// The layout of a type is unknown, so that the bytes behind its values cannot be read.
    UnknownType {
        /// Place of the type, such as `prefab `lamp`, Lamp.level`.
        place: String,
        /// The type.
        error: UnknownType,
    },
    /// A type has no first value, or more than 65 536 values in arrays.
    NoFirstValue {
        /// Place of the type.
        place: String,
    },
    /// Two names, numbers or hashes are equal, or an object has more than 64 behaviours.
    Invalid {
        /// Place of the fault.
        place: String,
    },
    /// The descriptions of all learned schemas take more memory than the limit of the process, 16 MiB.
    TooMuchMemory,
}

impl UntypedError {
    /// Puts a part in front of the place.
    #[cold]
    pub(crate) fn in_part(mut self, part: &str) -> Self {
        match &mut self {
            Self::UnknownType { place, .. }
            | Self::NoFirstValue { place }
            | Self::Invalid { place } => {
                let separator = if place.is_empty() { "" } else { ", " };
                *place = format!("{part}{separator}{place}");
            }
            Self::TooMuchMemory => {}
        }
        self
    }

    /// Returns the error for an unknown type at a place.
    #[cold]
    pub(crate) fn unknown(place: &str, error: UnknownType) -> Self {
        let place = place.into();
        Self::UnknownType { place, error }
    }
}

impl fmt::Display for UntypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownType { place, error } if place.is_empty() => error.fmt(f),
            Self::UnknownType { place, error } => write!(f, "{place}: {error}"),
            Self::NoFirstValue { place } => {
                write!(
                    f,
                    "{place}: the type has no first value, or a too large one"
                )
            }
            Self::Invalid { place } => write!(f, "{place}: a name, number or hash occurs twice"),
            Self::TooMuchMemory => f.write_str("learned schemas take too much memory"),
        }
    }
}

impl Error for UntypedError {}

fn lock() -> MutexGuard<'static, Interned> {
    // A panic leaves the maps as they were.
    INTERNED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Interned {
    fn intern(
        &mut self,
        behaviour: &SchemaBehaviour,
    ) -> Result<&'static UntypedClass, UntypedError> {
        let text = format!("{behaviour:?}");
        if let Some(class) = self.classes.get(&text) {
            return Ok(class);
        }
        let class = class_of(behaviour, |zeros| self.take(&text, zeros))?;
        self.classes.insert(text, class);
        Ok(class)
    }

    /// Takes memory for a description with a text.
    fn take(&mut self, text: &str, more: usize) -> Result<(), UntypedError> {
        let needed = text.len().saturating_mul(MEMORY_PER_BYTE);
        let memory = self.memory.saturating_add(needed).saturating_add(more);
        if memory > MAX_MEMORY {
            return Err(UntypedError::TooMuchMemory);
        }
        self.memory = memory;
        Ok(())
    }
}

/// Returns the description of a behaviour.
///
/// # Errors
///
/// When a type is unknown, and when the memory of all descriptions is exhausted.
pub(crate) fn intern(behaviour: &SchemaBehaviour) -> Result<&'static UntypedClass, UntypedError> {
    lock().intern(behaviour)
}

/// The type of a message of a learned schema.
#[derive(Debug)]
pub(crate) struct UntypedType {
    /// Description of the type.
    pub(crate) schema: TypeSchema,
    /// Layout of the values.
    pub(crate) layout: Layout,
}

/// Returns the description of a type, for a message.
///
/// # Errors
///
/// When a type is unknown, and when the memory of all descriptions is exhausted.
pub(crate) fn intern_type(schema: &SchemaType) -> Result<&'static UntypedType, UntypedError> {
    let text = format!("{schema:?}");
    let mut interned = lock();
    if let Some(known) = interned.types.get(&text) {
        return Ok(known);
    }
    let layout = Layout::of(schema, &Measures::default());
    let layout = layout.map_err(|error| UntypedError::unknown("", error))?;
    interned.take(&text, 0)?;
    let schema = Leaks::type_schema(schema);
    let known: &'static _ = Box::leak(Box::new(UntypedType { schema, layout }));
    interned.types.insert(text, known);
    Ok(known)
}

/// Conversion of owned descriptions into constants.
mod leak {
    use super::{MemberSchema, Names, SchemaMember, SchemaType, TypeSchema, VariantSchema};

    /// Memory that stays for the lifetime of the process.
    #[derive(Clone, Copy, Debug)]
    pub(in crate::untyped) struct Leaks;

    impl Leaks {
        /// Keeps a text.
        pub(in crate::untyped) fn text(text: &str) -> &'static str {
            Box::leak(text.into())
        }

        /// Keeps a list.
        pub(in crate::untyped) fn list<T>(list: Vec<T>) -> &'static [T] {
            Box::leak(list.into_boxed_slice())
        }

        /// Keeps former names.
        pub(in crate::untyped) fn names(names: &Names) -> &'static [&'static str] {
            Self::list(names.was.iter().map(|name| Self::text(name)).collect())
        }

        /// Keeps members.
        pub(in crate::untyped) fn members(members: &[SchemaMember]) -> &'static [MemberSchema] {
            let members = members.iter().map(|member| MemberSchema {
                name: Self::text(&member.names.name),
                was: Self::names(&member.names),
                schema: Self::type_schema(&member.value),
            });
            Self::list(members.collect())
        }

        /// Keeps a type.
        pub(in crate::untyped) fn type_schema(schema: &SchemaType) -> TypeSchema {
            let boxed =
                |schema| -> &'static TypeSchema { Box::leak(Box::new(Self::type_schema(schema))) };
            match schema {
                SchemaType::Named(name) => TypeSchema::Named(Self::text(name)),
                SchemaType::Struct { name, members } => TypeSchema::Struct {
                    name: Self::text(name),
                    members: Self::members(members),
                },
                SchemaType::Enum { name, variants } => {
                    let variants = variants.iter().map(|variant| VariantSchema {
                        name: Self::text(&variant.names.name),
                        was: Self::names(&variant.names),
                        is_other: variant.is_other,
                        number: variant.number,
                        members: Self::members(&variant.members),
                    });
                    TypeSchema::Enum {
                        name: Self::text(name),
                        variants: Self::list(variants.collect()),
                    }
                }
                SchemaType::Sequence(element) => TypeSchema::Sequence(boxed(element)),
                SchemaType::Array(element, count) => TypeSchema::Array(boxed(element), *count),
                SchemaType::Optional(value) => TypeSchema::Optional(boxed(value)),
                SchemaType::Map(key, value) => TypeSchema::Map(boxed(key), boxed(value)),
                SchemaType::Set(element) => TypeSchema::Set(boxed(element)),
                SchemaType::Collection { name, parts } => TypeSchema::Collection {
                    name: Self::text(name),
                    parts: Self::list(parts.iter().map(Self::type_schema).collect()),
                },
                // Such a type has no layout, and is refused before.
                SchemaType::Measured(value) => TypeSchema::Measured {
                    schema: boxed(value),
                    measure: |_, _| None,
                },
                SchemaType::Encoded {
                    codec,
                    parameters,
                    value,
                } => TypeSchema::Encoded {
                    codec: Self::text(codec),
                    parameters: Self::list(parameters.clone()),
                    value: boxed(value),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::{Interned, UntypedError};
    use crate::schema::Schema;

    #[test]
    fn learned_classes_have_a_limit_of_memory() {
        let mut interned = Interned::default();
        // Fields of different names, with first values of about a megabyte.
        let mut learn = |number: usize| {
            let fields = (0..8).map(|field| format!("      f{number}_{field}: [u8; 4000]\n"));
            let fields: String = fields.collect();
            let text = format!(
                "prefab lamp 00000000000000000000000000000001\n  behaviour Lamp, channel 0\n    class Lamp\n{fields}"
            );
            let schema = Schema::parse(&text).unwrap();
            interned.intern(&schema.prefabs[0].behaviours[0])
        };
        let first = learn(0).unwrap();
        let refused = (1..100).find(|number| learn(*number).is_err()).unwrap();
        assert!(refused > 8);
        assert_eq!(learn(refused).unwrap_err(), UntypedError::TooMuchMemory);
        // A class that is known costs nothing.
        assert!(ptr::eq(learn(0).unwrap(), first));
    }
}
