//! Received deltas of a list.

use super::difference::{Around, changes};
use super::edited::{Edited, out_of_range};
use super::log::Operation;
use super::relay::Relay;
use super::{ListChange, SyncList};
use crate::field::collection::{self, Changes, charge_changes};
use crate::field::numbers::list::{ADD, CLEAR, INSERT, REMOVE, REMOVE_AT, SET, SPLICE};
use crate::{NetworkReader, ReadError, SyncValue};

impl<T: SyncValue> SyncList<T> {
    pub(super) fn read_changes(
        &mut self,
        reader: &mut NetworkReader<'_>,
        mut reported: Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        let operations = reader.read_operations()?;
        if operations == 0 {
            return self.read_whole(reader, reported);
        }
        let mut relay = Relay::new(reader.is_relaying());
        let mut items = Edited::new(&mut self.items, operations);
        for _ in 0..operations {
            items.read_operation(reader, &mut reported, &mut relay)?;
        }
        drop(items);
        self.relay(relay);
        Ok(())
    }

    fn read_whole(
        &mut self,
        reader: &mut NetworkReader<'_>,
        reported: Changes<'_, ListChange<T>>,
    ) -> Result<(), ReadError> {
        if reader.is_relaying() {
            self.record.set_dirty();
        }
        let Some(reported) = reported else {
            return self.read_items(reader);
        };
        // Reads in place keep the members of elements that do not travel.
        reader.charge::<T>(self.items.len())?;
        let former = self.items.clone();
        self.read_items(reader)?;
        let count = former.len().max(self.items.len());
        charge_changes(reader, Some(&*reported), count)?;
        changes(former, &self.items, Around::default(), reported);
        Ok(())
    }
}

impl<T: SyncValue> Edited<'_, T> {
    fn read_operation(
        &mut self,
        reader: &mut NetworkReader<'_>,
        reported: &mut Changes<'_, ListChange<T>>,
        relay: &mut Relay<T>,
    ) -> Result<(), ReadError> {
        let (operation, index) = reader.read_operation()?;
        charge_changes(reader, reported.as_deref(), 1)?;
        match operation {
            ADD => self.read_add(reader, reported, relay),
            CLEAR => {
                let previous = self.clear();
                relay.add(reader, 0, || Operation::Clear);
                if let Some(reported) = reported
                    && !previous.is_empty()
                {
                    reported.push(ListChange::Clear { previous });
                }
                Ok(())
            }
            INSERT => self.read_insert(reader, index, reported, relay),
            REMOVE_AT => {
                let previous = self.remove(index, reader)?;
                relay.add(reader, 0, || Operation::RemoveAt(index));
                if let Some(reported) = reported {
                    reported.push(ListChange::RemoveAt { index, previous });
                }
                Ok(())
            }
            SET => self.read_set(reader, index, reported, relay),
            SPLICE => self.read_splice(reader, index, reported, relay),
            REMOVE => self.read_runs(reader, index, reported, relay),
            other => Err(collection::unknown_operation(reader, other)),
        }
    }

    /// Reads one element more, within the limits.
    fn read_new(&self, reader: &mut NetworkReader<'_>) -> Result<T, ReadError> {
        reader.check_elements(self.len() + 1)?;
        reader.charge::<T>(1)?;
        T::read(reader)
    }

    fn read_add(
        &mut self,
        reader: &mut NetworkReader<'_>,
        reported: &mut Changes<'_, ListChange<T>>,
        relay: &mut Relay<T>,
    ) -> Result<(), ReadError> {
        let value = self.read_new(reader)?;
        relay.add(reader, 1, || Operation::Add(value.clone()));
        if let Some(reported) = reported {
            let (index, value) = (self.len(), value.clone());
            reported.push(ListChange::Add { index, value });
        }
        self.push(value, reader)
    }

    fn read_insert(
        &mut self,
        reader: &mut NetworkReader<'_>,
        index: usize,
        reported: &mut Changes<'_, ListChange<T>>,
        relay: &mut Relay<T>,
    ) -> Result<(), ReadError> {
        if index >= self.len() {
            return Err(out_of_range(reader, index, self.len()));
        }
        let value = self.read_new(reader)?;
        relay.add(reader, 1, || Operation::Insert(index, value.clone()));
        if let Some(reported) = reported {
            let value = value.clone();
            reported.push(ListChange::Insert { index, value });
        }
        self.insert(index, value, reader)
    }

    fn read_set(
        &mut self,
        reader: &mut NetworkReader<'_>,
        index: usize,
        reported: &mut Changes<'_, ListChange<T>>,
        relay: &mut Relay<T>,
    ) -> Result<(), ReadError> {
        let length = self.len();
        let Some(item) = self.get_mut(index) else {
            return Err(out_of_range(reader, index, length));
        };
        let Some(reported) = reported else {
            item.read_in_place(reader)?;
            relay.add(reader, 1, || Operation::Set(index, item.clone()));
            return Ok(());
        };
        if let Some(previous) = item.read_with_previous(reader)? {
            relay.add(reader, 1, || Operation::Set(index, item.clone()));
            let value = item.clone();
            reported.push(ListChange::Set {
                index,
                previous,
                value,
            });
        }
        Ok(())
    }

    fn read_splice(
        &mut self,
        reader: &mut NetworkReader<'_>,
        index: usize,
        reported: &mut Changes<'_, ListChange<T>>,
        relay: &mut Relay<T>,
    ) -> Result<(), ReadError> {
        let removed = reader.read_number("removed elements")?;
        let mut values = Vec::new();
        T::read_slice(&mut values, reader)?;
        let length = self.len();
        let end = index.checked_add(removed).filter(|end| *end <= length);
        let Some(end) = end else {
            let beyond = index.saturating_add(removed);
            return Err(out_of_range(reader, beyond, length));
        };
        reader.check_elements(length - removed + values.len())?;
        if removed > 0 || !values.is_empty() {
            let operation = || Operation::Splice(index, removed, values.clone());
            relay.add(reader, values.len(), operation);
        }
        let Some(reported) = reported else {
            self.splice(index..end, values.into_iter(), reader)?;
            return Ok(());
        };
        charge_changes(reader, Some(&**reported), removed.max(values.len()))?;
        let around = Around {
            before: index,
            behind: length - end,
        };
        let again = values.iter().cloned();
        let former = self.splice(index..end, again, reader)?;
        changes(former, &values, around, reported);
        Ok(())
    }

    fn read_runs(
        &mut self,
        reader: &mut NetworkReader<'_>,
        runs: usize,
        reported: &mut Changes<'_, ListChange<T>>,
        relay: &mut Relay<T>,
    ) -> Result<(), ReadError> {
        if runs == 0 {
            return Err(collection::unknown_operation(reader, REMOVE));
        }
        if runs > 1 {
            self.share_pass();
        }
        let length = self.len();
        let (mut index, mut passed) = (0_usize, 0_usize);
        let mut removed = Vec::new();
        for _ in 0..runs {
            let stay = reader.read_number("elements that stay")?;
            let go = reader.read_number("removed elements")?;
            passed = passed.saturating_add(stay).saturating_add(go);
            if go == 0 {
                // An empty run would take time without bytes.
                return Err(collection::unknown_operation(reader, REMOVE));
            }
            if passed > length {
                return Err(out_of_range(reader, passed, length));
            }
            index += stay;
            relay.add_run(reader, &mut removed, stay, go);
            charge_changes(reader, reported.as_deref(), go)?;
            match reported {
                Some(reported) => self.remove_run(index, go, reader, |previous| {
                    reported.push(ListChange::RemoveAt { index, previous });
                })?,
                None => self.remove_run(index, go, reader, drop)?,
            }
        }
        relay.add(reader, 0, || Operation::Remove(removed));
        Ok(())
    }
}
