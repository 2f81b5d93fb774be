//! A behaviour of a class that is only known from a recording.

use syncvar::{BehaviourSchema, NetworkBehaviour, NetworkReader, NetworkWriter, ReadError};

use super::cell::Cell;
use super::subject::Cells;

/// Does by loops what the derive does line by line.
pub(crate) struct Dynamic {
    fields: Vec<(String, Box<dyn Cell>)>,
    levels: Vec<usize>,
}

impl Dynamic {
    /// `levels` are the numbers of fields of each class, bases first.
    pub(crate) fn new(fields: Vec<(String, Box<dyn Cell>)>, levels: Vec<usize>) -> Self {
        Self { fields, levels }
    }

    fn bits(&self) -> impl Iterator<Item = (u64, &dyn Cell)> {
        (0..)
            .map(|index| 1 << index)
            .zip(self.fields.iter().map(|(_, cell)| cell.as_ref()))
    }

    fn bits_mut(&mut self) -> impl Iterator<Item = (u64, &mut Box<dyn Cell>)> {
        (0..)
            .map(|index| 1 << index)
            .zip(self.fields.iter_mut().map(|(_, cell)| cell))
    }
}

impl NetworkBehaviour for Dynamic {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Dynamic",
        base: None,
        fields: &[],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        self.bits()
            .filter(|(_, cell)| cell.is_dirty())
            .map(|(bit, _)| bit)
            .sum()
    }

    fn set_dirty_bit(&mut self, dirty_bits: u64) {
        for (_, cell) in self.bits_mut().filter(|(bit, _)| dirty_bits & bit != 0) {
            cell.set_dirty();
        }
    }

    fn clear_all_dirty_bits(&mut self) {
        self.bits_mut().for_each(|(_, cell)| cell.clear_dirty());
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        let dirty_bits = self.sync_var_dirty_bits();
        let mut fields = self.bits();
        for field_count in &self.levels {
            if !initial_state {
                writer.write_dirty_bits(dirty_bits);
            }
            let level = fields.by_ref().take(*field_count);
            for (_, cell) in level.filter(|(bit, _)| initial_state || dirty_bits & bit != 0) {
                cell.write(writer);
            }
        }
        dirty_bits != 0 || initial_state && !self.fields.is_empty()
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<(), ReadError> {
        let known_bits = self.bits().map(|(bit, _)| bit).sum();
        let levels = self.levels.clone();
        let mut fields = self.bits_mut();
        for field_count in levels {
            let dirty_bits = if initial_state {
                known_bits
            } else {
                reader.read_dirty_bits(known_bits)?
            };
            let level = fields.by_ref().take(field_count);
            for (_, cell) in level.filter(|(bit, _)| dirty_bits & bit != 0) {
                cell.read(reader)?;
            }
        }
        Ok(())
    }
}

impl Cells for Dynamic {
    fn cells(&self) -> Vec<(&str, &dyn Cell)> {
        self.fields
            .iter()
            .map(|(name, cell)| (name.as_str(), cell.as_ref()))
            .collect()
    }

    fn cells_mut(&mut self) -> Vec<(&str, &mut dyn Cell)> {
        self.fields
            .iter_mut()
            .map(|(name, cell)| (name.as_str(), cell.as_mut() as _))
            .collect()
    }

    fn levels(&self) -> Vec<usize> {
        self.levels.clone()
    }
}
