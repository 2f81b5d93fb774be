//! Tests of acknowledgements that lie, and of the memory.

use super::*;

#[test]
fn handled_above_the_sent_is_passed_over() {
    let mut link = link();
    link.count_reliable();
    send(&mut link, ms(0), 1);
    for handled in [2, 300, 0x7fff, 0x8000, 0xffff] {
        let ack = Ack {
            handled,
            ..ack(1, 0)
        };
        link.on_ack(ms(80), &ack, &mut Vec::new());
    }
    assert_eq!(
        (link.loss().acked, link.handled(), link.bad_acks()),
        (0, 0, 5)
    );
}

#[test]
fn sequence_that_was_never_sent_is_passed_over() {
    let mut link = link();
    send(&mut link, ms(0), 1);
    for newest in [0, 2, 0x8000, 0xffff] {
        assert_eq!(acknowledge(&mut link, ms(80), newest, 0), []);
    }
    assert_eq!((link.loss().acked, link.bad_acks()), (0, 4));
}

#[test]
fn sequence_below_the_ring_is_passed_over() {
    let mut link = link();
    for tick in 1..=300 {
        send(&mut link, ms(0), tick);
        acknowledge(&mut link, ms(1), tick.into(), u64::MAX);
    }
    let before = link.loss();
    assert_eq!(acknowledge(&mut link, ms(80), 44, 0), []);
    assert_eq!((link.loss(), link.bad_acks()), (before, 0));
}

#[test]
fn hundred_false_acknowledgements_in_a_minute_are_too_many() {
    let mut link = link();
    for second in 0..200 {
        acknowledge(&mut link, ms(second * 1_000), 9, 0);
        assert!(!link.has_too_many_bad_acks());
    }
    for _ in 0..100 {
        acknowledge(&mut link, ms(200_000), 9, 0);
    }
    assert!(link.has_too_many_bad_acks());
    assert_eq!(link.bad_acks(), 300);
}

#[test]
fn repetition_decides_nothing_twice() {
    let mut link = link();
    for tick in 1..=9 {
        send(&mut link, ms(0), tick);
    }
    let first = acknowledge(&mut link, ms(80), 9, 0b1111_1111);
    assert_eq!(first.len(), 2 * 6);
    for _ in 0..1_000 {
        assert_eq!(acknowledge(&mut link, ms(81), 9, 0b1111_1111), []);
    }
    assert_eq!(acknowledge(&mut link, ms(82), 9, 0).len(), 2 * 6);
    assert_eq!(acknowledge(&mut link, ms(82), 9, 0), []);
}

/// With undecided packets in it, the ring is full; without, the packets stay that an acknowledgement names.
#[test]
fn records_take_no_memory_beyond_the_ring() {
    for (missing, is_full) in [(u64::MAX, true), (0b101, false)] {
        let mut link = link();
        let mut verdicts = Vec::new();
        let mut capacities = None;
        for tick in 1..5_000 {
            let number = u64::from(tick);
            let chunks = [chunk(number, tick), chunk(number.max(2) - 1, tick - 1)];
            let sequence = link.record(ms(0), tick, 0, chunks, &[1, 2, 3], &mut verdicts);
            if tick % 3 == 0 {
                link.on_ack(ms(0), &ack(sequence, missing), &mut verdicts);
            }
            verdicts.clear();
            if tick > 2_000 {
                let now = link.records.capacities();
                assert_eq!(*capacities.get_or_insert(now), now);
                let [packets, chunks, own, copies] = link.records.lengths();
                assert_eq!([chunks, own, copies], [2, 3, 1].map(|each| each * packets));
                let most = 64 + RUN + 4;
                assert!(packets == 256 || !is_full && packets <= most, "{packets}");
            }
        }
    }
}
