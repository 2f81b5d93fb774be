//! Descriptions of learned behaviours, kept for the lifetime of the process.
//!
//! The update loop and the events refer to a class by `&'static` references, because compiled classes are constants. So the
//! descriptions of learned classes stay in memory. Equal behaviours share one description, and all of them together have a
//! limit: a server that changes its schema at each connection cannot fill the memory of a client.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::class::UntypedClass;
use super::error::UntypedError;
use super::leak::Leaks;
use super::schema::class_of;
use crate::schema::{SchemaBehaviour, SchemaType, TypeSchema};
use crate::translate::layout::{Layout, Measures};

/// Limit of the memory of all learned descriptions, in bytes.
const MAX_MEMORY: usize = 64 << 20;

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
