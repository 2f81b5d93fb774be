//! Snapshots and deltas of an untyped behaviour: WIRE.md, section 3.

use super::behaviour::UntypedBehaviour;
use super::class::UntypedField;
use super::collection;
use crate::object::{ErasedFields, FieldOperation};
use crate::schema::each_position;
use crate::translate::layout::Layout;
use crate::value::Value;
use crate::wire::Selection;
use crate::{
    Encoding, NetworkReader, NetworkWriter, ReadError, ReadResult, ReadResultExt, WriteErrorKind,
};

/// Form of a field on the wire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldForm {
    Snapshot,
    Delta,
}

impl FieldForm {
    const fn of(initial_state: bool) -> Self {
        if initial_state {
            Self::Snapshot
        } else {
            Self::Delta
        }
    }
}

impl UntypedField {
    fn read(
        &self,
        form: FieldForm,
        value: &mut Value,
        reader: &mut NetworkReader<'_>,
    ) -> ReadResult<()> {
        match (self.layout_in(reader.context().plain), form) {
            (Layout::Collection(layout), FieldForm::Delta) => {
                collection::read_delta(layout, value, reader)
            }
            (layout, _) => {
                *value = layout.read_value(reader)?;
                Ok(())
            }
        }
    }

    fn write(&self, form: FieldForm, value: &Value, writer: &mut NetworkWriter) {
        writer.at(self.place);
        if form == FieldForm::Delta && matches!(self.layout, Layout::Collection(_)) {
            // A number of 0: the whole collection follows.
            writer.write_operations(0);
        }
        let layout = self.layout_in(writer.context().plain);
        if layout.write_value(value, writer).is_err() {
            // Each value was checked when it was set.
            writer.fail(WriteErrorKind::Custom("a value that does not fit its type"));
        }
    }
}

impl UntypedBehaviour {
    /// Reads fields one after another.
    pub(super) fn read_fields(
        &mut self,
        fields: u64,
        form: FieldForm,
        reader: &mut NetworkReader<'_>,
    ) -> ReadResult<()> {
        let class = self.class;
        for index in each_position(fields) {
            if let (Some(field), Some(value)) =
                (class.fields.get(index), self.values.get_mut(index))
            {
                field.read(form, value, reader).at(field.place)?;
            }
        }
        Ok(())
    }

    /// Writes fields one after another.
    pub(super) fn write_fields(&self, fields: u64, form: FieldForm, writer: &mut NetworkWriter) {
        for index in each_position(fields) {
            if let (Some(field), Some(value)) =
                (self.class.fields.get(index), self.values.get(index))
            {
                field.write(form, value, writer);
            }
        }
    }

    /// Returns the length of a value in a delta; `None` for a collection.
    pub(super) fn measure(&self, position: usize) -> Option<usize> {
        let field = self.class.fields.get(position)?;
        let is_collection = matches!(field.layout, Layout::Collection(_));
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        self.write_fields(1 << position, FieldForm::Delta, &mut writer);
        (!is_collection).then_some(writer.len())
    }

    /// Reads the snapshot or the delta.
    pub(super) fn deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<()> {
        if !self.is_optional() {
            return self.read_classes(self.class.schema().dirty_bits(), reader, initial_state);
        }
        // The owner's fields of a behaviour that the server has removed meanwhile.
        let is_late = reader.context().fields & self.presence_bit() == 0 && !self.is_present();
        if reader.context().unused || is_late {
            return Self::new(self.class).read_optional(reader, initial_state);
        }
        self.read_optional(reader, initial_state)
    }

    /// Reads the classes, each behind its mask or role.
    fn read_classes(
        &mut self,
        known_bits: u64,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<()> {
        let class = self.class;
        for bits in class.classes.fields() {
            let fields = if initial_state {
                let policy = class.classes.policy();
                bits & Selection::of(*bits, policy).read(policy, reader)?
            } else {
                bits & reader.read_dirty_bits(known_bits).at(class.schema().name)?
            };
            self.read_fields(fields, FieldForm::of(initial_state), reader)?;
        }
        Ok(())
    }

    /// Reads the presence of an optional behaviour, and its fields if they follow.
    fn read_optional(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<()> {
        let (all, presence) = (self.class.schema().dirty_bits(), self.presence_bit());
        let was_present = self.is_present();
        let changed = if initial_state {
            presence
        } else {
            reader.read_dirty_bits(all).at(self.name())?
        };
        self.read_fields(changed & presence, FieldForm::Snapshot, reader)?;
        let follows = if initial_state {
            self.is_present()
        } else {
            changed & !presence != 0
        };
        if !was_present && (follows || self.is_present()) {
            self.reset();
        }
        if follows {
            self.read_classes(all & !presence, reader, initial_state)?;
            if changed & presence == 0 && !was_present {
                // The presence was in an earlier delta that is still on its way.
                self.set_present(true);
            }
        }
        Ok(())
    }

    pub(super) fn set_present(&mut self, is_present: bool) {
        if let Some(last) = self.values.last_mut() {
            *last = Value::Bool(is_present);
        }
    }

    /// Writes the snapshot, or the dirty mask and the changed fields. Returns whether there is a change.
    pub(super) fn serialize(&self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let dirty = writer.fields() & self.dirty;
        if !self.is_optional() {
            self.write_classes(dirty, writer, initial_state);
            return initial_state || dirty != 0;
        }
        let presence = self.presence_bit();
        if initial_state {
            self.write_fields(presence, FieldForm::Snapshot, writer);
            if self.is_present() {
                self.write_classes(0, writer, true);
            }
            return true;
        }
        let dirty = if self.is_present() {
            dirty
        } else {
            dirty & presence
        };
        writer.write_dirty_bits(dirty);
        self.write_fields(dirty & presence, FieldForm::Delta, writer);
        if dirty & !presence != 0 {
            self.write_classes(dirty & !presence, writer, false);
        }
        dirty != 0
    }

    /// Writes the classes, each behind its mask or role.
    fn write_classes(&self, dirty: u64, writer: &mut NetworkWriter, initial_state: bool) {
        let classes = &self.class.classes;
        for bits in classes.fields() {
            let fields = if initial_state {
                let policy = classes.policy();
                bits & Selection::of(*bits, policy).write(policy, writer)
            } else {
                writer.write_dirty_bits(dirty);
                bits & dirty
            };
            self.write_fields(fields, FieldForm::of(initial_state), writer);
        }
    }

    /// Returns those of some fields that exist: an absent behaviour has its presence alone.
    pub(super) fn existing(&self, fields: u64) -> u64 {
        let all = self.class.schema().dirty_bits();
        let existing = if self.is_present() {
            all
        } else {
            self.presence_bit()
        };
        fields & existing
    }
}

impl ErasedFields for UntypedBehaviour {
    #[inline]
    fn dirty_bits(&self) -> u64 {
        self.dirty
    }

    fn apply(&mut self, fields: u64, operation: FieldOperation<'_, '_>) -> Result<(), ReadError> {
        match operation {
            FieldOperation::SetDirty | FieldOperation::Relay => self.dirty |= self.existing(fields),
            FieldOperation::Clear | FieldOperation::MarkSent(_) => self.dirty &= !fields,
            FieldOperation::Write(writer) => {
                self.write_fields(self.existing(fields), FieldForm::Snapshot, writer);
            }
            FieldOperation::Read(reader) => {
                return self.read_fields(self.existing(fields), FieldForm::Snapshot, reader);
            }
            FieldOperation::CompareThreshold(_, is_beyond) => *is_beyond = true,
            // Values are rounded when they are set, and deltas of collections are whole.
            FieldOperation::Round(_)
            | FieldOperation::SetObserved(_)
            | FieldOperation::SetLog(_) => {}
        }
        Ok(())
    }
}
