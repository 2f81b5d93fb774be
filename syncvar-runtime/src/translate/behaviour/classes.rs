//! `Classes`: the parts of a behaviour on the wire.

use super::matching::policy_of;
use crate::schema::{PolicyBits, SchemaBehaviour, each_position};
use crate::wire::Selection;
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

    /// Returns the restricted fields.
    pub fn policy(&self) -> &PolicyBits {
        &self.policy
    }

    /// Returns the fields of each class with fields, bases first, without the presence of an optional behaviour.
    pub(crate) fn fields(&self) -> &[u64] {
        &self.fields
    }

    fn all(&self) -> u64 {
        self.fields
            .iter()
            .fold(self.present, |all, bits| all | bits)
    }

    /// Reads a delta. Calls a function with the position of each field, in order.
    pub(super) fn read_delta<'a>(
        &self,
        reader: &mut NetworkReader<'a>,
        mut field: impl FnMut(usize, &mut NetworkReader<'a>) -> ReadResult<()>,
    ) -> ReadResult<()> {
        if self.present != 0 {
            let mask = reader.read_dirty_bits(self.all())?;
            each_position(mask & self.present).try_for_each(|index| field(index, reader))?;
            if mask & !self.present == 0 {
                return Ok(());
            }
        }
        let known = self.all() & !self.present;
        for class in &self.fields {
            let mask = reader.read_dirty_bits(known)?;
            each_position(mask & class).try_for_each(|index| field(index, reader))?;
        }
        Ok(())
    }

    /// Writes a delta. Calls a function with the position of each field, in order.
    pub(super) fn write_delta(
        &self,
        fields: u64,
        writer: &mut NetworkWriter,
        mut field: impl FnMut(usize, &mut NetworkWriter),
    ) {
        let mut write = |bits: u64, writer: &mut NetworkWriter| {
            each_position(bits).for_each(|index| field(index, writer));
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
    pub(super) fn read_snapshot<'a>(
        &self,
        reader: &mut NetworkReader<'a>,
        mut field: impl FnMut(usize, &mut NetworkReader<'a>) -> ReadResult<()>,
    ) -> ReadResult<()> {
        if self.present != 0 {
            let is_present = reader.peek() == Some(1);
            each_position(self.present).try_for_each(|index| field(index, reader))?;
            if !is_present {
                return Ok(());
            }
        }
        for class in &self.fields {
            let selection = Selection::of(*class, &self.policy);
            let fields = class & selection.read(&self.policy, reader)?;
            each_position(fields).try_for_each(|index| field(index, reader))?;
        }
        Ok(())
    }
}
