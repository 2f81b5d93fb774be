//! A behaviour of a class that is only known from a recording.

use std::any::Any;

use syncvar::{
    NetworkBehaviour, NetworkContext, SyncField,
    behaviour::FieldVisitor,
    fields::Transfer,
    schema::{BehaviourSchema, TypeSchema},
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use super::cell::Cell;
use super::subject::Cells;

/// Does by loops what the derive does line by line.
pub(crate) struct Dynamic {
    fields: Vec<DynamicField>,
    levels: Vec<usize>,
    log: Vec<String>,
}

pub(crate) struct DynamicField {
    pub(crate) name: String,
    pub(crate) cell: Box<dyn Cell>,
    pub(crate) has_hook: bool,
}

impl Dynamic {
    /// `levels` are the numbers of fields of each class, bases first.
    pub(crate) fn new(fields: Vec<DynamicField>, levels: Vec<usize>) -> Self {
        Self {
            fields,
            levels,
            log: Vec::new(),
        }
    }

    fn bits(&self) -> impl Iterator<Item = (u64, &DynamicField)> {
        (0..).map(|index| 1 << index).zip(&self.fields)
    }

    fn bits_mut(&mut self) -> impl Iterator<Item = (u64, &mut DynamicField)> {
        (0..).map(|index| 1 << index).zip(&mut self.fields)
    }
}

impl NetworkBehaviour for Dynamic {
    /// What the hooks will write down.
    type Previous = Vec<String>;
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Dynamic",
        base: None,
        fields: &[],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        self.bits()
            .filter(|(_, field)| field.cell.is_dirty())
            .map(|(bit, _)| bit)
            .sum()
    }

    fn visit(&mut self, _: &mut Vec<String>, visitor: &mut impl FieldVisitor) {
        for (bit, field) in self.bits_mut() {
            visitor.field(bit, "Dynamic", CellAccess(&mut field.cell));
        }
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let dirty_bits = self.sync_var_dirty_bits();
        let mut fields = self.bits();
        for field_count in &self.levels {
            if !initial_state {
                writer.write_dirty_bits(dirty_bits);
            }
            let level = fields.by_ref().take(*field_count);
            for (_, field) in level.filter(|(bit, _)| initial_state || dirty_bits & bit != 0) {
                if initial_state {
                    field.cell.write(writer);
                } else {
                    field.cell.write_change(writer);
                }
            }
        }
        dirty_bits != 0 || initial_state && !self.fields.is_empty()
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<Vec<String>, ReadError> {
        let known_bits = self.bits().map(|(bit, _)| bit).sum();
        let levels = self.levels.clone();
        let (mut fields, mut hooks) = (self.bits_mut(), Vec::new());
        for field_count in levels {
            let dirty_bits = if initial_state {
                known_bits
            } else {
                reader.read_dirty_bits(known_bits)?
            };
            let level = fields.by_ref().take(field_count);
            for (_, field) in level.filter(|(bit, _)| dirty_bits & bit != 0) {
                let previous = field.cell.show();
                if initial_state {
                    field.cell.read(reader)?;
                } else {
                    field.cell.read_change(reader)?;
                }
                if field.has_hook && field.cell.show() != previous {
                    hooks.push(format!("{} was {previous}", field.name));
                }
            }
        }
        Ok(hooks)
    }

    fn call_hooks(&mut self, previous: Vec<String>, _: &mut NetworkContext<'_>) {
        self.log.extend(previous);
    }
}

/// Access to a cell, which is no `SyncField`: its type is only known at run time.
struct CellAccess<'a>(&'a mut Box<dyn Cell>);

impl SyncField for CellAccess<'_> {
    const SCHEMA: TypeSchema = TypeSchema::Named("cell");

    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self.0)
    }

    fn transfer(&mut self, other: &mut dyn Any, transfer: Transfer) -> bool {
        if let Some(other) = other.downcast_mut::<Box<dyn Cell>>() {
            std::mem::swap(self.0, other);
        }
        if transfer == Transfer::TakeChanges {
            self.0.set_dirty();
        }
        transfer == Transfer::TakeChanges
    }

    fn is_dirty(&self) -> bool {
        self.0.is_dirty()
    }

    fn set_dirty(&mut self) {
        self.0.set_dirty();
    }

    fn clear_dirty(&mut self) {
        self.0.clear_dirty();
    }

    fn write_full(&self, writer: &mut NetworkWriter) {
        self.0.write(writer);
    }

    fn write_delta(&self, writer: &mut NetworkWriter) {
        self.0.write_change(writer);
    }

    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.0.read(reader)
    }

    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.0.read_change(reader)
    }
}

impl Cells for Dynamic {
    fn cells(&self) -> Vec<(&str, &dyn Cell)> {
        let fields = self.fields.iter();
        fields
            .map(|field| (field.name.as_str(), field.cell.as_ref()))
            .collect()
    }

    fn cells_mut(&mut self) -> Vec<(&str, &mut dyn Cell)> {
        let fields = self.fields.iter_mut();
        fields
            .map(|field| (field.name.as_str(), field.cell.as_mut() as _))
            .collect()
    }

    fn levels(&self) -> Vec<usize> {
        self.levels.clone()
    }

    fn take_hook_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
}
