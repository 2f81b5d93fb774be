//! Modes of a record.

use super::{Log, Note, Record};
use crate::field::place::Place;

impl Log for Vec<u8> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

fn logged(record: &mut Record<Vec<u8>, u8>) -> Option<&mut Vec<u8>> {
    match record.note() {
        Note::Change(log) => Some(log),
        Note::Operation(_) | Note::Nothing => None,
    }
}

#[test]
fn log_is_empty_before_the_first_and_after_the_last_observer() {
    let mut record = Record::<Vec<u8>, u8>::default();
    assert!(logged(&mut record).is_none() && record.is_dirty());
    record.clear_dirty();
    logged(&mut record).unwrap().push(1);
    assert!(record.is_dirty() && record.changes().is_some());
    record.clear_dirty();
    record.set_observed(false);
    assert!(logged(&mut record).is_none() && record.is_dirty() && record.changes().is_none());
    record.clear_dirty();
    record.set_observed(false);
    let is_known = record.place_mut().is_at(Place::UNPLACED);
    assert!(is_known && !record.is_dirty(), "nothing has been replaced");
    record.set_observed(true);
    assert!(!record.is_dirty() && logged(&mut record).is_some());
}

#[test]
fn snapshot_content_before_the_first_send_is_sent_whole() {
    let mut record = Record::<Vec<u8>, u8>::default();
    record.clear_dirty();
    record.set_observed(true);
    assert!(!record.is_dirty());
    logged(&mut record).unwrap().push(1);
    record.set_observed(true);
    assert!(record.is_dirty() && record.changes().is_none());
}

#[test]
fn unfinished_operation_is_sent_whole() {
    let mut record = Record::<Vec<u8>, u8>::default();
    record.clear_dirty();
    let begun = record.begin();
    assert!(record.is_dirty() && record.changes().is_none());
    record.end(begun);
    assert!(!record.is_dirty());
}
