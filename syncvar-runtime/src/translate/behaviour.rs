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

use super::conversion::{Conversion, Fit, Operations, Refusal, Types, find};
use super::layout::Layout;
use crate::schema::{
    FieldPolicy, PolicyBits, Role, SchemaBehaviour, SchemaField, SchemaType, Writers,
};
use crate::value::Value;
use crate::{NetworkReader, NetworkWriter, ReadResult};

/// Classes of a behaviour, as its deltas and snapshots are divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Bits of the fields of each class with fields, bases first. The field `present` of an optional behaviour is none of them.
    fields: Vec<u64>,
    /// Bit of the field `present`; 0 without.
    present: u64,
    /// Restricted fields.
    policy: PolicyBits,
}

/// Plan of a field of the writer.
#[derive(Clone, Debug)]
struct FieldPlan {
    /// Layout, for a field that the reader lacks.
    layout: Layout,
    /// Set if the delta is a list of operations.
    has_operations: bool,
    target: Option<Target>,
}

/// Field of the reader.
#[derive(Clone, Debug)]
struct Target {
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
enum Form {
    /// A delta to a delta.
    Delta,
    /// A snapshot to a snapshot.
    Snapshot,
    /// A snapshot to a delta.
    SnapshotToDelta,
}

/// Values of a reader, before their order is known.
#[derive(Debug, Default)]
pub struct Scratch {
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
}

/// Returns the present value of a field of the reader, by its position.
pub type Former<'a> = dyn FnMut(usize) -> Option<Vec<u8>> + 'a;

impl Classes {
    /// Describes the classes of a behaviour.
    pub fn of(behaviour: &SchemaBehaviour) -> Self {
        let (mut classes, mut present, mut policy) = (Vec::new(), 0, PolicyBits::default());
        let (mut next, last) = (0_u32, behaviour.classes.len().saturating_sub(1));
        for (at, class) in behaviour.classes.iter().enumerate() {
            let mut bits = 0;
            for field in &class.fields {
                let bit = 1_u64.checked_shl(next).unwrap_or_default();
                next += 1;
                bits |= bit;
                policy.add(bit, &policy_of(field));
            }
            if behaviour.is_optional && at == last {
                present = bits;
            } else if bits != 0 {
                classes.push(bits);
            }
        }
        Self {
            fields: classes,
            present,
            policy,
        }
    }

    fn all(&self) -> u64 {
        self.fields
            .iter()
            .fold(self.present, |all, bits| all | bits)
    }

    /// Reads a delta. Calls a function with the position of each field, in order.
    fn read_delta<'a>(
        &self,
        reader: &mut NetworkReader<'a>,
        mut field: impl FnMut(usize, &mut NetworkReader<'a>) -> ReadResult<()>,
    ) -> ReadResult<()> {
        if self.present != 0 {
            let mask = reader.read_dirty_bits(self.all())?;
            each(mask & self.present, |index| field(index, reader))?;
            if mask & !self.present == 0 {
                return Ok(());
            }
        }
        let known = self.all() & !self.present;
        for class in &self.fields {
            let mask = reader.read_dirty_bits(known)?;
            each(mask & class, |index| field(index, reader))?;
        }
        Ok(())
    }

    /// Writes a delta. Calls a function with the position of each field, in order.
    fn write_delta(
        &self,
        fields: u64,
        writer: &mut NetworkWriter,
        mut field: impl FnMut(usize, &mut NetworkWriter),
    ) {
        let mut write = |bits: u64, writer: &mut NetworkWriter| {
            for index in 0..64 {
                if bits >> index & 1 == 1 {
                    field(index, writer);
                }
            }
        };
        let inner = fields & !self.present;
        if self.present != 0 {
            writer.write_dirty_bits(fields);
            write(fields & self.present, writer);
            if inner == 0 {
                return;
            }
        }
        for class in &self.fields {
            writer.write_dirty_bits(inner);
            write(inner & class, writer);
        }
    }

    /// Reads a snapshot. Calls a function with the position of each field, in order. The report of the reader has the role.
    fn read_snapshot<'a>(
        &self,
        reader: &mut NetworkReader<'a>,
        mut field: impl FnMut(usize, &mut NetworkReader<'a>) -> ReadResult<()>,
    ) -> ReadResult<()> {
        if self.present != 0 {
            let is_present = reader.peek() == Some(1);
            each(self.present, |index| field(index, reader))?;
            if !is_present {
                return Ok(());
            }
        }
        for class in &self.fields {
            let role = if self.policy.group & class != 0 {
                reader.read_role()?
            } else if self.policy.private() & class != 0 {
                if reader.read_for_owner()? {
                    Role::Owner
                } else {
                    Role::Observer
                }
            } else {
                Role::Observer
            };
            each(class & self.policy.readable(role), |index| {
                field(index, reader)
            })?;
        }
        Ok(())
    }
}

fn policy_of(field: &SchemaField) -> FieldPolicy {
    FieldPolicy {
        readers: field.readers,
        writers: field.writers,
        initial_only: field.initial_only,
        ..FieldPolicy::DEFAULT
    }
}

/// Calls a function with the position of each set bit, lowest first.
fn each(mut bits: u64, mut action: impl FnMut(usize) -> ReadResult<()>) -> ReadResult<()> {
    while bits != 0 {
        action(bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
    }
    Ok(())
}

impl BehaviourPlan {
    /// Plans a behaviour. `present` returns the reader's value of a field, by its position: that of the prefab. `accepts` returns
    /// whether the reader takes a field, by its position.
    ///
    /// # Errors
    ///
    /// With the position of a field of the writer that cannot be converted or skipped.
    pub fn new(
        from: &SchemaBehaviour,
        to: &SchemaBehaviour,
        types: &Types<'_>,
        present: &dyn Fn(usize) -> Option<Value>,
        accepts: &dyn Fn(usize) -> bool,
    ) -> Result<Self, Vec<(usize, Refusal)>> {
        let targets = matches(from, to);
        let to_fields: Vec<_> = to.fields().collect();
        let (mut fields, mut refusals) = (Vec::new(), Vec::new());
        for ((index, field), target) in from.fields().enumerate().zip(targets) {
            let target = target.filter(|at| accepts(*at));
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
        scratch: &mut Scratch,
        former: &mut Former<'_>,
    ) -> ReadResult<Converted> {
        scratch.restart(writer);
        let mut converted = Converted::default();
        self.from.read_delta(reader, |index, reader| {
            self.convert_field(index, Form::Delta, reader, scratch, &mut converted, former)
        })?;
        self.to
            .write_delta(converted.fields, writer, |index, writer| {
                writer.write_bytes(scratch.value(index));
            });
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
        scratch: &mut Scratch,
    ) -> ReadResult<Converted> {
        let mut converted = self.read_snapshot(false, reader, writer, scratch)?;
        converted.fields &= wanted;
        for index in 0..64 {
            if converted.fields >> index & 1 == 1 {
                writer.write_bytes(scratch.value(index));
            }
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
        scratch: &mut Scratch,
    ) -> ReadResult<Converted> {
        let converted = self.read_snapshot(true, reader, writer, scratch)?;
        self.to
            .write_delta(converted.fields, writer, |index, writer| {
                writer.write_bytes(scratch.value(index));
            });
        Ok(converted)
    }

    /// Converts the values of a snapshot, into values of snapshots or of deltas.
    fn read_snapshot(
        &self,
        to_delta: bool,
        reader: &mut NetworkReader<'_>,
        writer: &NetworkWriter,
        scratch: &mut Scratch,
    ) -> ReadResult<Converted> {
        scratch.restart(writer);
        let mut converted = Converted::default();
        let form = if to_delta {
            Form::SnapshotToDelta
        } else {
            Form::Snapshot
        };
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
        let (writer, scratch) = (&mut NetworkWriter::new(), &mut Scratch::default());
        self.convert_delta(reader, writer, scratch, &mut |_| None)
            .map(drop)
    }

    /// Skips a snapshot of the writer.
    ///
    /// # Errors
    ///
    /// When the bytes are not a snapshot of the writer's behaviour.
    pub fn skip_snapshot(&self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        let (writer, scratch) = (&mut NetworkWriter::new(), &mut Scratch::default());
        self.convert_snapshot(reader, 0, writer, scratch).map(drop)
    }

    fn convert_field(
        &self,
        index: usize,
        form: Form,
        reader: &mut NetworkReader<'_>,
        scratch: &mut Scratch,
        converted: &mut Converted,
        former: &mut Former<'_>,
    ) -> ReadResult<()> {
        let Some(field) = self.fields.get(index) else {
            return Ok(());
        };
        let Some(target) = &field.target else {
            return field.skip(form == Form::Delta, reader);
        };
        let (start, mut fit) = (scratch.values.len(), Fit::default());
        target.convert(form, reader, &mut scratch.values, &mut fit, former)?;
        let bit = 1_u64 << target.index;
        if fit.unfit || fit.replaced {
            converted.unfit |= bit;
            converted.unfit_of_writer |= 1_u64 << index;
        }
        if fit.unfit || scratch.values.take_error().is_some() {
            scratch.values.truncate(start);
            return Ok(());
        }
        converted.fields |= bit;
        scratch.ends.push((target.index, scratch.values.len()));
        Ok(())
    }
}

impl Scratch {
    /// Begins the values of a behaviour, in the encoding of a writer.
    fn restart(&mut self, writer: &NetworkWriter) {
        if self.values.encoding() == writer.encoding() {
            self.values.truncate(0);
        } else {
            self.values = NetworkWriter::with_encoding(writer.encoding());
        }
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

impl Target {
    fn convert(
        &self,
        form: Form,
        reader: &mut NetworkReader<'_>,
        writer: &mut NetworkWriter,
        fit: &mut Fit,
        former: &mut Former<'_>,
    ) -> ReadResult<()> {
        match &self.operations {
            Some(operations) if form == Form::Delta => {
                operations.convert(reader, writer, fit, &mut || former(self.index))
            }
            operations => {
                if form != Form::Snapshot && self.has_operations {
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
) -> Result<FieldPlan, Refusal> {
    let target = match target {
        Some((index, target)) => {
            let value = types.convert(&field.value, &target.value, present(index).as_ref())?;
            Some(Target {
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

/// Returns for each field of a behaviour the position of the same field in a second build: in the class of the same name
/// first, then in any class, because a field may have moved between a class and its base.
pub fn matches(from: &SchemaBehaviour, to: &SchemaBehaviour) -> Vec<Option<usize>> {
    let mut taken = vec![false; to.fields().count()];
    let mut matched = vec![None; from.fields().count()];
    let places = |of: &SchemaBehaviour| {
        let classes = of.classes.iter();
        let names = classes.flat_map(|class| class.fields.iter().map(|_| class.name.clone()));
        names.collect::<Vec<_>>()
    };
    let (from_classes, to_classes) = (places(from), places(to));
    for same_class in [true, false] {
        for (at, field) in from.fields().enumerate() {
            if matched.get(at).is_none_or(Option::is_some) {
                continue;
            }
            let is_free = |index: &usize| {
                let class = to_classes.get(*index) == from_classes.get(at);
                taken.get(*index) == Some(&false) && (class || !same_class)
            };
            let free: Vec<usize> = (0..taken.len()).filter(is_free).collect();
            let names = free.iter().filter_map(|index| to.fields().nth(*index));
            let theirs = from.fields().map(|it| &it.names);
            let found = find(&field.names, names.map(|it| &it.names), theirs);
            let Some(index) = found.and_then(|found| free.get(found)).copied() else {
                continue;
            };
            if let (Some(taken), Some(matched)) = (taken.get_mut(index), matched.get_mut(at)) {
                (*taken, *matched) = (true, Some(index));
            }
        }
    }
    matched
}

/// Rules of a server of a different build for the fields of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Readers and writers.
    pub policy: PolicyBits,
    /// Fields that the server lacks.
    pub missing: u64,
}

/// Returns the rules of a server for the fields of a client. A field that the server lacks keeps the rules of the client. The
/// owner writes a field if both builds let it.
pub fn rules(server: &SchemaBehaviour, client: &SchemaBehaviour) -> Rules {
    let mut rules = Rules::default();
    let targets = matches(server, client);
    for (index, field) in client.fields().enumerate() {
        let bit = 1_u64 << index;
        let own = policy_of(field);
        let source = targets.iter().position(|target| *target == Some(index));
        let Some(theirs) = source.and_then(|at| server.fields().nth(at)) else {
            rules.missing |= bit;
            rules.policy.add(bit, &own);
            continue;
        };
        let mut theirs = policy_of(theirs);
        if own.writers == Writers::Server {
            theirs.writers = Writers::Server;
        }
        rules.policy.add(bit, &theirs);
    }
    rules
}
