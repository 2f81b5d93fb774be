//! Tests of the sending half, by rule.

mod hostile;
mod random;
mod state;

use std::time::Duration;

use super::records::RUN;
use super::{ChunkRef, Content, Sender, Verdict, VerdictKind};
use crate::link::ack::Ack;
use crate::link::round_trip::RoundTrip;
use crate::link::sequence::low_bits;
use crate::link::settings::LossSettings;

/// Own entries are numbers.
type Link = Sender<u32>;

const ROUND_TRIP: Duration = Duration::from_millis(80);

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn link() -> Link {
    let settings = LossSettings {
        tick_interval: ms(33),
        ..LossSettings::default()
    };
    Sender::new(settings, RoundTrip::new(ROUND_TRIP))
}

fn chunk(number: u64, tick: u32) -> ChunkRef {
    ChunkRef { number, tick }
}

/// Sends a packet with a chunk of the sequence's number and an own entry of ten times that number.
fn send(link: &mut Link, now: Duration, tick: u32) -> u64 {
    let mut verdicts = Vec::new();
    let number = link.records.next();
    let own = u32::try_from(number).unwrap() * 10;
    let after = link.reliable_sent();
    let sent = link.record(
        now,
        tick,
        after,
        [chunk(number, tick)],
        &[own],
        &mut verdicts,
    );
    assert_eq!(verdicts, []);
    sent
}

fn ack(newest: u64, missing: u64) -> Ack {
    Ack {
        newest: Some(low_bits(newest)),
        handled: 0,
        missing,
    }
}

/// Acknowledges sequences and returns the verdicts that follow from it.
fn acknowledge(link: &mut Link, now: Duration, newest: u64, missing: u64) -> Vec<Verdict<u32>> {
    let handled = low_bits(link.handled());
    let mut verdicts = Vec::new();
    let ack = Ack {
        handled,
        ..ack(newest, missing)
    };
    link.on_ack(now, &ack, &mut verdicts);
    link.on_gap(&mut verdicts);
    verdicts
}

fn verdict(kind: VerdictKind, tick: u32, content: Content<u32>) -> Verdict<u32> {
    Verdict {
        kind,
        tick,
        content,
    }
}

/// Verdicts on a packet of [`send`].
fn whole(kind: VerdictKind, sequence: u32, tick: u32) -> [Verdict<u32>; 2] {
    let chunk = Content::Chunk(sequence.into());
    let own = Content::Own(sequence * 10);
    [chunk, own].map(|content| verdict(kind, tick, content))
}

fn lost(sequence: u32, tick: u32) -> [Verdict<u32>; 2] {
    whole(VerdictKind::Lost, sequence, tick)
}

fn on_time(link: &mut Link, now: Duration, tick: u32) -> (bool, Vec<Verdict<u32>>) {
    let mut verdicts = Vec::new();
    (link.on_time(now, tick, &mut verdicts), verdicts)
}

#[test]
fn l1_three_above_acknowledged_is_lost() {
    let mut link = link();
    for tick in 1..=4 {
        assert_eq!(send(&mut link, ms(0), tick), u64::from(tick));
    }
    assert_eq!(acknowledge(&mut link, ms(80), 3, 0b11), []);
    assert_eq!(acknowledge(&mut link, ms(81), 4, 0b110), lost(1, 1));
    assert_eq!(acknowledge(&mut link, ms(82), 4, 0b110), []);
}

#[test]
fn l1_a_packet_is_lost_after_the_loss_time() {
    let mut link = link();
    // A round trip of 80 ms with a variation of 40 ms, an interval and a tick.
    assert_eq!(link.loss_time(), ms(80 + 4 * 40 + 33 + 33));
    send(&mut link, ms(10), 1);
    send(&mut link, ms(20), 2);
    assert_eq!(on_time(&mut link, ms(316), 3), (false, vec![]));
    assert_eq!(on_time(&mut link, ms(317), 3), (false, lost(1, 1).into()));
    assert_eq!(on_time(&mut link, ms(327), 3), (false, lost(2, 2).into()));
}

#[test]
fn l1_late_packets_in_a_row_wait_for_the_next_acknowledgement() {
    let mut link = link();
    for tick in 1..=6 {
        send(&mut link, ms(10), tick);
    }
    // The last three have no three late packets behind them.
    let last = [lost(4, 4), lost(5, 5), lost(6, 6)].concat();
    assert_eq!(on_time(&mut link, ms(317), 7), (true, last));
    // The first one did not arrive; the last three did.
    let verdicts = acknowledge(&mut link, ms(320), 6, 0b10000);
    assert_eq!(verdicts.len(), 8);
    assert_eq!(verdicts[6..], lost(1, 1));
    assert!(link.is_acked(2) && link.is_acked(3));
}

#[test]
fn l1_late_packets_in_a_row_are_lost_after_two_loss_times() {
    let mut link = link();
    for tick in 1..=4 {
        send(&mut link, ms(10), tick);
    }
    let last = [lost(2, 2), lost(3, 3), lost(4, 4)].concat();
    assert_eq!(on_time(&mut link, ms(317), 5).1, last);
    assert_eq!(on_time(&mut link, ms(10 + 2 * 306), 5).1, []);
    assert_eq!(on_time(&mut link, ms(11 + 2 * 306), 5).1, lost(1, 1));
}

#[test]
fn l1_a_packet_is_lost_after_the_record_ticks() {
    let mut link = link();
    link.count_reliable();
    send(&mut link, ms(0), 10);
    assert_eq!(on_time(&mut link, ms(1), 74).1, []);
    assert_eq!(on_time(&mut link, ms(1), 75).1, lost(1, 10));
}

#[test]
fn l1_a_full_ring_loses_its_oldest_packet() {
    let mut link = link();
    let ring = link.settings.ring;
    for tick in 1..=ring {
        assert_eq!(link.room(), ring + 1 - tick);
        send(&mut link, ms(0), u32::try_from(tick).unwrap());
    }
    assert_eq!(link.room(), 0);
    let mut verdicts = Vec::new();
    link.record(ms(0), 300, 0, [], &[], &mut verdicts);
    assert_eq!(verdicts, lost(1, 1));
    // Packets that are decided already go without a word.
    acknowledge(&mut link, ms(80), 66, 0);
    verdicts.clear();
    link.record(ms(0), 300, 0, [], &[], &mut verdicts);
    assert_eq!(verdicts, []);
}

#[test]
fn l2_chunks_have_their_own_tick_and_own_entries_that_of_the_packet() {
    let mut link = link();
    let mut verdicts = Vec::new();
    link.record(
        ms(0),
        7,
        0,
        [chunk(5, 6), chunk(8, 7)],
        &[1, 2],
        &mut verdicts,
    );
    link.detach(ms(1), 7, &mut verdicts);
    let contents = [
        (6, Content::Chunk(5)),
        (7, Content::Chunk(8)),
        (7, Content::Own(1)),
        (7, Content::Own(2)),
    ];
    let lost = contents.map(|(tick, content)| verdict(VerdictKind::Lost, tick, content));
    assert_eq!(verdicts, lost);
}

#[test]
fn l2_a_chunk_is_not_owed_while_a_copy_is_flying() {
    for (is_acked, expected) in [(true, None), (false, Some(1))] {
        let mut link = link();
        let mut verdicts = Vec::new();
        link.record(ms(0), 1, 0, [chunk(9, 1)], &[], &mut verdicts);
        assert!(link.awaits(9) && !link.awaits(8));
        link.record(ms(200), 2, 0, [chunk(9, 1)], &[], &mut verdicts);
        assert_eq!(on_time(&mut link, ms(310), 3).1, []);
        assert_eq!(link.loss().lost, 1);
        if is_acked {
            acknowledge(&mut link, ms(311), 2, 1);
            assert!(!link.awaits(9));
        }
        let owed = on_time(&mut link, ms(520), 4).1;
        let lost = |tick| verdict(VerdictKind::Lost, tick, Content::Chunk(9));
        assert_eq!(owed, Vec::from_iter(expected.map(lost)));
    }
}

#[test]
fn l3_an_acknowledgement_after_the_loss_takes_back() {
    let mut link = link();
    send(&mut link, ms(0), 1);
    assert_eq!(on_time(&mut link, ms(400), 2).1, lost(1, 1));
    let taken_back = whole(VerdictKind::TakenBack, 1, 1);
    assert_eq!(acknowledge(&mut link, ms(500), 1, 0), taken_back);
    assert_eq!(acknowledge(&mut link, ms(501), 1, 0), []);
    assert_eq!(on_time(&mut link, ms(900), 99).1, []);
    let loss = link.loss();
    assert_eq!((loss.lost, loss.acked, loss.spurious), (0, 1, 1));
}

#[test]
fn l3_own_entries_of_flying_packets_can_be_reduced() {
    let mut link = link();
    for tick in 1..=3 {
        send(&mut link, ms(0), tick);
    }
    acknowledge(&mut link, ms(80), 1, 0);
    for own in link.flying_own() {
        *own += 1;
    }
    let verdicts = on_time(&mut link, ms(800), 4).1;
    let own: Vec<_> = verdicts.iter().filter_map(own_of).collect();
    assert_eq!(own, [21, 31]);
    assert_eq!(link.flying_own().count(), 0);

    fn own_of(verdict: &Verdict<u32>) -> Option<u32> {
        match verdict.content {
            Content::Own(own) => Some(own),
            Content::Chunk(_) => None,
        }
    }
}

#[test]
fn l4_all_sequences_are_marked_before_one_is_lost() {
    let mut link = link();
    for tick in 1..=70 {
        send(&mut link, ms(0), tick);
    }
    // 70 and the 64 below it, but for 69 and 20.
    assert_eq!(acknowledge(&mut link, ms(80), 70, 1 | 1 << 49), {
        let lost = [1, 2, 3, 4, 5, 20].map(|sequence| lost(sequence, sequence));
        lost.concat()
    });
    assert_eq!(link.loss().acked, 63);
}

#[test]
fn l5_a_timer_behind_unhandled_reliable_packets_probes() {
    let mut link = link();
    link.count_reliable();
    send(&mut link, ms(0), 1);
    assert_eq!(on_time(&mut link, ms(306), 2), (false, vec![]));
    assert_eq!(on_time(&mut link, ms(307), 2), (true, vec![]));
    // Due until it is sent.
    assert_eq!(on_time(&mut link, ms(308), 2), (true, vec![]));
    let mut now = ms(308);
    for wait in [306, 612, 1_224, 2_000, 2_000] {
        link.probe_sent(now);
        assert!(!on_time(&mut link, now + ms(wait - 1), 3).0);
        now += ms(wait);
        assert!(on_time(&mut link, now, 3).0, "{wait}");
    }
    let handled = Ack {
        newest: None,
        handled: 1,
        missing: 0,
    };
    assert_eq!(link.on_ack(now, &handled, &mut Vec::new()), None);
    assert_eq!(on_time(&mut link, now, 4), (false, lost(1, 1).into()));
}

#[test]
fn l5_news_starts_the_waits_of_probes_from_the_start() {
    let mut link = link();
    link.count_reliable();
    for tick in 1..=2 {
        send(&mut link, ms(0), tick);
    }
    link.probe_sent(ms(400));
    link.probe_sent(ms(800));
    assert!(!on_time(&mut link, ms(1_000), 3).0);
    assert_eq!(acknowledge(&mut link, ms(1_000), 1, 0), []);
    assert!(on_time(&mut link, ms(5_000), 3).0);
    link.probe_sent(ms(5_000));
    let loss_time = link.loss_time();
    assert!(loss_time < ms(2_000));
    assert!(on_time(&mut link, ms(5_000) + loss_time, 3).0);
}
