//! Tests of the receiving half.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::{MASK_BITS, Receiver, ReceiverStats};
use crate::link::ack::Ack;
use crate::link::sequence::{extend, low_bits};

const START: Duration = Duration::from_secs(5);
const INTERVAL: Duration = Duration::from_millis(33);

fn receiver(sequences: impl IntoIterator<Item = u64>) -> Receiver {
    let mut receiver = Receiver::new(INTERVAL);
    for sequence in sequences {
        receiver.mark(sequence, START);
    }
    receiver
}

#[test]
fn acknowledgement_names_the_gaps_below_the_newest() {
    let mut receiver = receiver([1, 3, 4, 7, 6]);
    receiver.handled_reliable(START);
    let expected = Ack {
        newest: Some(7),
        handled: 1,
        missing: 0b1_0010,
    };
    assert_eq!(receiver.take_ack(), expected);
    // It is repeated while the sequences are in the mask.
    assert_eq!(receiver.take_ack(), expected);
    receiver.mark(5, START);
    assert_eq!(receiver.take_ack().missing, 0b1_0000);
}

#[test]
fn nothing_applied_is_told_apart_from_a_sequence() {
    let mut receiver = receiver([]);
    receiver.handled_reliable(START);
    let expected = Ack {
        newest: None,
        handled: 1,
        missing: 0,
    };
    assert_eq!(receiver.take_ack(), expected);
    assert!(receiver.is_known(0) && !receiver.is_known(1));
}

#[test]
fn sequences_below_one_are_not_missing() {
    assert_eq!(receiver([1]).take_ack().missing, 0);
    assert_eq!(receiver([3]).take_ack().missing, 0b11);
    assert_eq!(receiver([65]).take_ack().missing, u64::MAX);
    assert_eq!(receiver([64]).take_ack().missing, u64::MAX >> 1);
}

#[test]
fn applied_sequences_stay_known_for_the_mask_and_older_ones_are_known() {
    let receiver = receiver([10, 11, 11 + MASK_BITS]);
    for (sequence, is_known) in [(10, true), (11, true), (12, false), (75, true), (76, false)] {
        assert_eq!(receiver.is_known(sequence), is_known, "{sequence}");
    }
    assert!(!receiver.is_known(74) && receiver.is_known(1));
}

#[test]
fn a_jump_beyond_the_mask_forgets_all_below() {
    for step in [MASK_BITS + 1, 200, 40_000] {
        let mut receiver = receiver([10, 10 + step]);
        assert_eq!(receiver.take_ack().missing, u64::MAX);
    }
    assert_eq!(receiver([10, 74]).take_ack().missing, u64::MAX >> 1);
}

#[test]
fn acknowledgement_is_due_an_interval_after_the_first_news() {
    let mut receiver = receiver([]);
    assert!(!receiver.owes_ack() && !receiver.due(START * 2));
    receiver.mark(1, START);
    receiver.mark(2, START + INTERVAL / 2);
    assert!(receiver.owes_ack() && !receiver.due(START + INTERVAL / 2));
    assert!(receiver.due(START + INTERVAL));
    receiver.take_ack();
    assert!(!receiver.owes_ack());
    // A duplicate is no news, a reliable packet is.
    receiver.mark(2, START * 2);
    assert!(!receiver.owes_ack());
    receiver.handled_reliable(START * 2);
    assert!(receiver.due(START * 2 + INTERVAL));
}

#[test]
fn must_acknowledge_before_a_sequence_leaves_the_mask_unreported() {
    let mut receiver = receiver([10, 12]);
    assert!(!receiver.must_acknowledge_before(41));
    assert!(receiver.must_acknowledge_before(42));
    receiver.mark(9, START);
    assert!(receiver.must_acknowledge_before(41));
    receiver.take_ack();
    assert!(!receiver.must_acknowledge_before(1_000));
}

#[test]
fn early_datagrams_wait_for_the_reliable_packets_before_them() {
    let mut receiver = receiver([]);
    assert!(!receiver.is_early(0) && receiver.is_early(1));
    receiver.handled_reliable(START);
    assert!(!receiver.is_early(1) && receiver.is_early(receiver.extend_after(2)));
    assert_eq!(receiver.handled(), 1);
}

#[test]
fn gaps_are_found_between_two_sequences() {
    let receiver = receiver([1, 2, 4, 5, 9]);
    for (first, last, has_all) in [
        (1, 2, true),
        (3, 4, false),
        (4, 5, true),
        (6, 9, false),
        (9, 9, true),
        (10, 9, true),
        (10, 10, false),
        (10, 0, true),
    ] {
        assert_eq!(receiver.has_all(first, last), has_all, "{first} {last}");
    }
}

#[test]
fn sequence_that_leaves_the_mask_stays_a_gap() {
    let mut receiver = receiver([1, 3]);
    (4..200).for_each(|sequence| receiver.mark(sequence, START));
    assert!(!receiver.has_all(1, 199) && !receiver.has_all(2, 199));
    assert!(receiver.has_all(3, 199));
    receiver.mark(1_000, START);
    assert!(!receiver.has_all(3, 199) && receiver.has_all(1_000, 1_000));
}

#[test]
fn ticks_are_extended_from_the_highest_one_seen() {
    let mut receiver = receiver([]);
    assert_eq!(receiver.extend_tick(0xffff), 0xffff);
    receiver.see_tick(0x2_fff0);
    receiver.see_tick(5);
    assert_eq!(receiver.extend_tick(0xfff1), 0x2_fff1);
    assert_eq!(receiver.extend_tick(1), 0x3_0001);
}

#[test]
fn statistics_count_each_datagram_once() {
    let mut receiver = receiver([1, 2, 2, 5, 1]);
    receiver.count_duplicate();
    receiver.count_early();
    let expected = ReceiverStats {
        received: 3,
        missing: 2,
        duplicates: 1,
        early: 1,
    };
    assert_eq!(receiver.stats(), expected);
}

/// Sequences with the number of acknowledgements that have named each.
#[derive(Default)]
struct Reports(BTreeMap<u64, u32>);

impl Reports {
    /// Marks a sequence as the client does: with an acknowledgement before it if need be.
    fn mark(&mut self, receiver: &mut Receiver, sequence: u64) {
        if receiver.must_acknowledge_before(sequence) {
            self.take(receiver);
        }
        receiver.mark(sequence, START);
        self.0.insert(sequence, 0);
    }

    fn take(&mut self, receiver: &mut Receiver) {
        let ack = receiver.take_ack();
        let highest = self.0.keys().next_back().copied();
        let newest = extend(highest.unwrap_or(0), ack.newest.unwrap_or(0));
        for (sequence, reports) in &mut self.0 {
            let back = newest - sequence;
            let is_named = back == 0 || back <= MASK_BITS && ack.missing >> (back - 1) & 1 == 0;
            *reports += u32::from(is_named);
        }
    }

    /// Returns the lowest number of reports of a sequence that is out of the mask.
    fn lowest(&self) -> Option<u32> {
        let highest = self.0.keys().next_back()?;
        let gone = self.0.range(..highest - highest.min(&MASK_BITS));
        gone.map(|(_, reports)| *reports).min()
    }
}

#[test]
fn sequences_without_gaps_are_reported_twice() {
    let (mut receiver, mut reports) = (receiver([]), Reports::default());
    for sequence in 1..1_000 {
        reports.mark(&mut receiver, sequence);
    }
    assert_eq!(reports.lowest(), Some(2));
}

proptest! {
    /// Each applied sequence stands in an acknowledgement, however large the gaps are.
    #[test]
    fn each_applied_sequence_is_reported(
        steps in prop::collection::vec((-20i64..90, prop::bool::weighted(0.1)), 1..300)
    ) {
        let (mut receiver, mut reports) = (receiver([]), Reports::default());
        let mut newest = 0u64;
        for (step, acknowledge) in steps {
            let sequence = newest.saturating_add_signed(step).max(1);
            prop_assert_eq!(receiver.extend_sequence(low_bits(sequence)), sequence);
            if !receiver.is_known(sequence) {
                reports.mark(&mut receiver, sequence);
            }
            newest = newest.max(sequence);
            if acknowledge {
                reports.take(&mut receiver);
            }
            prop_assert!(reports.lowest() != Some(0));
        }
        prop_assert_eq!(receiver.stats().received, reports.0.len() as u64);
    }
}
