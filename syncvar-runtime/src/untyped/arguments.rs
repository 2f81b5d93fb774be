//! Arguments of calls as values.

use std::any::TypeId;

use super::UntypedBehaviour;
use crate::route::CallPlace;
use crate::schema::{MemberSchema, SchemaType};
use crate::translate::layout::{Layout, Measures, UnknownType, ValueError};
use crate::value::Value;
use crate::{NetworkReader, NetworkWriter, ReadErrorKind, ReadResult};

impl CallPlace {
    /// Returns whether the behaviour of the call has no compiled type.
    pub fn is_untyped(&self) -> bool {
        self.declared.0 == TypeId::of::<UntypedBehaviour>()
    }
}

/// Returns the layout of an argument.
fn layout(argument: &MemberSchema) -> Result<Layout, UnknownType> {
    Layout::of(&SchemaType::from(&argument.schema), &Measures::default())
}

/// Reads the arguments of a call.
///
/// # Errors
///
/// When the bytes do not hold the arguments, and when the layout of a type is unknown.
pub(crate) fn read_arguments(
    arguments: &'static [MemberSchema],
    reader: &mut NetworkReader<'_>,
) -> ReadResult<Vec<(&'static str, Value)>> {
    let values = arguments.iter().map(|argument| {
        let unknown = ReadErrorKind::Custom("a type whose layout is unknown");
        let layout = layout(argument).map_err(|_| reader.error(unknown))?;
        Ok((argument.name, layout.read_value(reader)?))
    });
    let values = values.collect::<ReadResult<_>>()?;
    reader.finish()?;
    Ok(values)
}

/// Writes the arguments of a call.
///
/// # Errors
///
/// When their number differs, a value does not fit, or the layout of a type is unknown.
pub(crate) fn write_arguments(
    arguments: &'static [MemberSchema],
    values: &[Value],
    writer: &mut NetworkWriter,
) -> Result<(), ValueError> {
    ValueError::check_length(values.len(), arguments.len())?;
    for (argument, value) in arguments.iter().zip(values) {
        let layout = layout(argument);
        let layout = layout.map_err(|error| ValueError::unknown_type(error.name))?;
        let written = layout.write_value(value, writer);
        written.map_err(|error| error.in_member(argument.name))?;
    }
    Ok(())
}
