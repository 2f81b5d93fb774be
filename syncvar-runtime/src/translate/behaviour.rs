//! `BehaviourPlan`: the state of a behaviour, from the build of its writer to the build of its reader.
//!
//! ```text
//! writer   | mask 0b101 | speed | gold |          | mask 0b101 | owner's part of a second class |
//!                |         |      |
//!                |       widened  skipped: the reader lacks it
//!                v         v
//! scratch          | speed |                      values by the bits of the reader
//!                v
//! reader   | mask 0b010 | speed |                 fields in the reader's order, by its classes
//! ```
//!
//! A field that does not fit is left out, and its reader keeps the former value. So is a field that the writer lacks: the
//! snapshot of an object is a list of values too, and never the whole state of the reader's class.

mod classes;
mod matching;

pub use classes::Classes;
pub(crate) use matching::policy_of;
pub use matching::{Rules, matches, rules};

use super::conversion::{Conversion, Fit, Operations, TypeRefusal, Types};
use super::layout::Layout;
use crate::schema::{SchemaBehaviour, SchemaField, SchemaType, each_position};
use crate::value::Value;
use crate::{NetworkReader, NetworkWriter, ReadResult};

/// Plan of a field of the writer.
#[derive(Clone, Debug)]
struct FieldPlan {
    /// Layout, for a field that the reader lacks.
    layout: Layout,
    /// Set if the delta is a list of operations.
    has_operations: bool,
    target: Option<TargetField>,
}

/// Field of the reader.
#[derive(Clone, Debug)]
struct TargetField {
    /// Position among the fields of the behaviour.
    index: usize,
    value: Conversion,
    /// `None` for a writer without operations.
    operations: Option<Operations>,
    /// Set if the reader's delta is a list of operations.
    has_operations: bool,
}

/// Plan of a behaviour in one direction.
#[derive(Clone, Debug)]
pub struct BehaviourPlan {
    from: Classes,
    to: Classes,
    fields: Vec<FieldPlan>,
}

/// Forms of a value before and after a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueForms {
    /// A delta to a delta.
    Delta,
    /// A snapshot to a snapshot.
    Snapshot,
    /// A snapshot to a delta.
    SnapshotToDelta,
}

/// Values of a reader, before their order is known.
#[derive(Debug, Default)]
pub struct UnorderedValues {
    values: NetworkWriter,
    /// Position of each field in the behaviour, and the end of its value.
    ends: Vec<(usize, usize)>,
}

/// Converted state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    /// Fields of the reader with a value.
    pub fields: u64,
    /// Fields of the reader whose values did not fit: wholly, or an element of a collection.
    pub unfit: u64,
    /// The same fields on the side of the writer.
    pub unfit_of_writer: u64,
    /// Those of them without a value for the reader.
    pub left_out: u64,
}

/// Returns the present value of a field of the reader, by its position.
pub type PresentValue<'a> = dyn FnMut(usize) -> Option<Vec<u8>> + 'a;

impl BehaviourPlan {
    /// Plans a behaviour. `targets`: positions of the reader's fields by those of the writer, as [`matches()`] finds them. `present`
    /// returns the reader's value of a field, by its position: that of the prefab.
    ///
    /// # Errors
    ///
    /// With the position of a field of the writer that cannot be converted or skipped.
    pub fn new(
        from: &SchemaBehaviour,
        to: &SchemaBehaviour,
        targets: &[Option<usize>],
        types: &Types<'_>,
        present: &dyn Fn(usize) -> Option<Value>,
    ) -> Result<Self, Vec<(usize, TypeRefusal)>> {
        let to_fields: Vec<_> = to.fields().collect();
        let (mut fields, mut refusals) = (Vec::new(), Vec::new());
        for ((index, field), target) in from.fields().enumerate().zip(targets) {
            let found = target.and_then(|at| Some((at, *to_fields.get(at)?)));
            match plan_field(field, found, types, present) {
                Ok(plan) => fields.push(plan),
                Err(refusal) => refusals.push((index, refusal)),
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        Ok(Self {
            from: Classes::of(from),
            to: Classes::of(to),
            fields,
        })
    }

    /// Reads a delta of the writer, and appends the delta of the reader.
    ///
    /// # Errors
    ///
    /// When the bytes are not a delta of the writer's behaviour.
    pub fn convert_delta(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        scratch: &mut UnorderedValues,
        former: &mut PresentValue<'_>,
    ) -> ReadResult<Converted> {
        scratch.restart(writer);
        let mut converted = Converted::default();
        self.from.read_delta(reader, |index, reader| {
            self.convert_field(
                index,
                ValueForms::Delta,
                reader,
                scratch,
                &mut converted,
                former,
            )
        })?;
        self.write_delta(converted, writer, scratch);
        Ok(converted)
    }

    /// Reads a snapshot of the writer, and appends the values of those of the reader's fields that are wanted, as in a
    /// snapshot, in their order, without masks and roles.
    ///
    /// # Errors
    ///
    /// When the bytes are not a snapshot of the writer's behaviour.
    pub fn convert_snapshot(
        &self,
        reader: &mut NetworkReader<'_>,
        wanted: u64,
        writer: &mut NetworkWriter,
        scratch: &mut UnorderedValues,
    ) -> ReadResult<Converted> {
        let mut converted = self.read_snapshot(ValueForms::Snapshot, reader, writer, scratch)?;
        converted.fields &= wanted;
        for index in each_position(converted.fields) {
            writer.write_bytes(scratch.value(index));
        }
        Ok(converted)
    }

    /// Reads a snapshot of the writer, and appends a delta of the reader with all fields.
    ///
    /// # Errors
    ///
    /// When the bytes are not a snapshot of the writer's behaviour.
    pub fn convert_snapshot_to_delta(
        &self,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        scratch: &mut UnorderedValues,
    ) -> ReadResult<Converted> {
        let converted = self.read_snapshot(ValueForms::SnapshotToDelta, reader, writer, scratch)?;
        self.write_delta(converted, writer, scratch);
        Ok(converted)
    }

    /// Writes the converted values as a delta of the reader.
    fn write_delta(
        &self,
        converted: Converted,
        writer: &mut NetworkWriter,
        scratch: &UnorderedValues,
    ) {
        let write = |index, writer: &mut NetworkWriter| writer.write_bytes(scratch.value(index));
        self.to.write_delta(converted.fields, writer, write);
    }

    /// Converts the values of a snapshot.
    fn read_snapshot(
        &self,
        form: ValueForms,
        reader: &mut NetworkReader<'_>,
        writer: &NetworkWriter,
        scratch: &mut UnorderedValues,
    ) -> ReadResult<Converted> {
        scratch.restart(writer);
        let mut converted = Converted::default();
        self.from.read_snapshot(reader, |index, reader| {
            let former = &mut |_| None;
            self.convert_field(index, form, reader, scratch, &mut converted, former)
        })?;
        Ok(converted)
    }

    /// Skips a delta of the writer.
    ///
    /// # Errors
    ///
    /// When the bytes are not a delta of the writer's behaviour.
    pub fn skip_delta(&self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        let (writer, scratch) = (&mut NetworkWriter::new(), &mut UnorderedValues::default());
        self.convert_delta(reader, writer, scratch, &mut |_| None)
            .map(drop)
    }

    /// Skips a snapshot of the writer.
    ///
    /// # Errors
    ///
    /// When the bytes are not a snapshot of the writer's behaviour.
    pub fn skip_snapshot(&self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        let (writer, scratch) = (&mut NetworkWriter::new(), &mut UnorderedValues::default());
        self.convert_snapshot(reader, 0, writer, scratch).map(drop)
    }

    fn convert_field(
        &self,
        index: usize,
        form: ValueForms,
        reader: &mut NetworkReader<'_>,
        scratch: &mut UnorderedValues,
        converted: &mut Converted,
        former: &mut PresentValue<'_>,
    ) -> ReadResult<()> {
        let Some(field) = self.fields.get(index) else {
            return Ok(());
        };
        let Some(target) = &field.target else {
            return field.skip(form == ValueForms::Delta, reader);
        };
        let (start, mut fit) = (scratch.values.len(), Fit::default());
        target.convert(form, reader, &mut scratch.values, &mut fit, former)?;
        let bit = 1_u64 << target.index;
        let is_left_out = fit.unfit || scratch.values.take_error().is_some();
        if is_left_out || fit.replaced {
            converted.unfit |= bit;
            converted.unfit_of_writer |= 1_u64 << index;
        }
        if is_left_out {
            converted.left_out |= 1_u64 << index;
            scratch.values.truncate(start);
            return Ok(());
        }
        converted.fields |= bit;
        scratch.ends.push((target.index, scratch.values.len()));
        Ok(())
    }
}

impl UnorderedValues {
    /// Begins the values of a behaviour, in the encoding of a writer.
    fn restart(&mut self, writer: &NetworkWriter) {
        self.values.restart(writer.encoding());
        self.ends.clear();
    }

    /// Returns the value of a field.
    fn value(&self, index: usize) -> &[u8] {
        let at = self.ends.iter().position(|(field, _)| *field == index);
        let value = at.and_then(|at| {
            let end = self.ends.get(at)?.1;
            let start = at.checked_sub(1).and_then(|before| self.ends.get(before));
            self.values.as_bytes().get(start.map_or(0, |it| it.1)..end)
        });
        value.unwrap_or_default()
    }
}

impl FieldPlan {
    fn skip(&self, is_delta: bool, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        if is_delta && self.has_operations {
            return self.layout.measure_operations(reader);
        }
        self.layout.measure(reader)
    }
}

impl TargetField {
    fn convert(
        &self,
        form: ValueForms,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
        former: &mut PresentValue<'_>,
    ) -> ReadResult<()> {
        match &self.operations {
            Some(operations) if form == ValueForms::Delta => {
                operations.convert(reader, writer, fit, &mut || former(self.index))
            }
            operations => {
                if form != ValueForms::Snapshot && self.has_operations {
                    // A whole collection follows.
                    writer.write_operations(0);
                }
                if operations.is_some() || self.has_operations {
                    return fit.in_collection(|fit| self.value.convert(reader, writer, fit));
                }
                self.value.convert(reader, writer, fit)
            }
        }
    }
}

fn plan_field(
    field: &SchemaField,
    target: Option<(usize, &SchemaField)>,
    types: &Types<'_>,
    present: &dyn Fn(usize) -> Option<Value>,
) -> Result<FieldPlan, TypeRefusal> {
    let target = match target {
        Some((index, target)) => {
            let value = types.convert(&field.value, &target.value, present(index).as_ref())?;
            Some(TargetField {
                index,
                operations: types.operations(&field.value, &target.value, &value)?,
                has_operations: has_operations(&target.value),
                value,
            })
        }
        None => None,
    };
    Ok(FieldPlan {
        layout: types.layout(&field.value)?,
        has_operations: has_operations(&field.value),
        target,
    })
}

fn has_operations(of: &SchemaType) -> bool {
    matches!(of, SchemaType::Collection { .. })
}
