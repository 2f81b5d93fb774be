//! `EarlyRecords`: records that wait for a missing record.

use std::collections::BTreeMap;

use crate::TickRecord;

/// Records behind a missing record, by number. They share the bytes of the program's records.
#[derive(Debug, Default)]
pub(crate) struct EarlyRecords {
    records: BTreeMap<u64, TickRecord>,
    bytes: usize,
}

impl EarlyRecords {
    /// Keeps a record, unless that exceeds the limits for the number of records and their bytes: then those with the
    /// highest numbers go, for they are played last. Returns the lowest number.
    pub(crate) fn keep(
        &mut self,
        record: &TickRecord,
        most: usize,
        most_bytes: usize,
    ) -> Option<u64> {
        self.bytes += record.as_bytes().len();
        if let Some(former) = self.records.insert(record.seq(), record.clone()) {
            self.bytes -= former.as_bytes().len();
        }
        while self.records.len() > most || self.bytes > most_bytes {
            let (_, last) = self.records.pop_last()?;
            self.bytes -= last.as_bytes().len();
        }
        self.records.keys().next().copied()
    }

    /// Takes the record behind number `seq`, and drops the records that a keyframe has passed.
    pub(crate) fn next(&mut self, seq: u64) -> Option<TickRecord> {
        while let Some(first) = self.records.first_entry()
            && *first.key() <= seq.saturating_add(1)
        {
            let record = first.remove();
            self.bytes -= record.as_bytes().len();
            if record.seq() > seq {
                return Some(record);
            }
        }
        None
    }
}
