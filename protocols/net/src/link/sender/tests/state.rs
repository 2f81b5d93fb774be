//! Tests of the state of a connection: detached, stalled, ticks, round trip.

use super::*;

#[test]
fn d1_detaching_loses_all_that_is_flying() {
    let mut link = link();
    for tick in 1..=3 {
        send(&mut link, ms(0), tick);
    }
    acknowledge(&mut link, ms(80), 2, 0b1);
    let mut verdicts = Vec::new();
    link.detach(ms(90), 3, &mut verdicts);
    assert_eq!(verdicts, [lost(1, 1), lost(3, 3)].concat());
    assert!(link.is_detached() && link.loss().flying == 0);
    assert!(!link.is_stalled(ms(9_000), 0));
}

#[test]
fn d2_an_answered_probe_attaches() {
    let mut link = link();
    send(&mut link, ms(0), 1);
    link.detach(ms(1_100), 41, &mut Vec::new());
    assert!(on_time(&mut link, ms(1_100), 42).0);
    link.probe_sent(ms(1_100));
    link.record(ms(1_100), 42, 0, [], &[], &mut Vec::new());
    assert_eq!(link.oldest_open_tick(), Some(41));
    // What was sent before does not attach it, even if it arrives.
    assert_eq!(link.on_ack(ms(1_150), &ack(1, 0), &mut Vec::new()), None);
    assert!(link.is_detached());
    assert_eq!(link.detached_for(ms(1_190)), Some(ms(90)));
    assert_eq!(
        link.on_ack(ms(1_190), &ack(2, 0), &mut Vec::new()),
        Some(41)
    );
    assert!(!link.is_detached() && link.oldest_open_tick().is_none());
}

#[test]
fn d5_a_long_detached_connection_is_idle() {
    let mut link = link();
    assert!(!link.is_idle(ms(90_000)));
    link.detach(ms(1_000), 5, &mut Vec::new());
    assert!(!link.is_idle(ms(30_999)) && link.is_idle(ms(31_000)));
    link.await_answer();
    assert!(
        !link.is_idle(ms(60_000)),
        "the time begins with this update"
    );
    assert!(!link.is_idle(ms(89_999)) && link.is_idle(ms(90_000)));
}

#[test]
fn silence_of_the_peer_is_a_stall() {
    let mut link = link();
    assert!(!link.is_stalled(ms(60_000), 1));
    // Nobody had to answer before the first packet.
    send(&mut link, ms(60_000), 1);
    send(&mut link, ms(60_500), 2);
    assert!(!link.is_stalled(ms(61_000), 1));
    assert!(link.is_stalled(ms(61_001), 1));
    acknowledge(&mut link, ms(61_000), 1, 0);
    assert!(!link.is_stalled(ms(62_000), 1));
    assert!(link.is_stalled(ms(62_001), 1));
    assert!(link.is_stalled(ms(62_000), 256));
}

#[test]
fn forgetting_ends_all_records_and_goes_on_with_the_sequences() {
    let mut link = link();
    for tick in 1..=3 {
        send(&mut link, ms(0), tick);
    }
    link.detach(ms(1), 3, &mut Vec::new());
    link.forget();
    assert_eq!(link.records.lengths(), [0; 4]);
    assert!(!link.is_detached() && !link.awaits(3));
    assert_eq!(acknowledge(&mut link, ms(80), 3, 0), []);
    assert_eq!(send(&mut link, ms(90), 4), 4);
    assert_eq!(acknowledge(&mut link, ms(170), 4, 0), []);
    assert_eq!((link.loss().acked, link.bad_acks()), (1, 0));
}

#[test]
fn oldest_open_tick_is_that_of_the_oldest_flying_chunk() {
    let mut link = link();
    assert_eq!(link.oldest_open_tick(), None);
    let mut verdicts = Vec::new();
    link.record(ms(0), 5, 0, [chunk(1, 5)], &[], &mut verdicts);
    link.record(ms(0), 7, 0, [chunk(2, 7), chunk(1, 4)], &[], &mut verdicts);
    link.record(ms(0), 9, 0, [], &[1], &mut verdicts);
    assert_eq!(link.oldest_open_tick(), Some(4));
    acknowledge(&mut link, ms(80), 2, 1);
    assert_eq!(link.oldest_open_tick(), Some(5));
    acknowledge(&mut link, ms(80), 3, 0b10);
    assert_eq!(link.oldest_open_tick(), Some(5));
    acknowledge(&mut link, ms(80), 3, 0);
    assert_eq!(link.oldest_open_tick(), None);
}

#[test]
fn ticks_are_wide_far_above_the_acknowledged_ones() {
    let mut link = link();
    assert!(!link.needs_wide_tick(0x7fff) && link.needs_wide_tick(0x8000));
    send(&mut link, ms(0), 0x8000);
    acknowledge(&mut link, ms(80), 1, 0);
    assert!(!link.needs_wide_tick(0xffff) && link.needs_wide_tick(0x1_0000));
}

#[test]
fn round_trip_follows_the_newest_newly_acknowledged_packet() {
    let mut link = link();
    for (tick, at) in [(1, 0), (2, 100), (3, 200)] {
        send(&mut link, ms(at), tick);
    }
    acknowledge(&mut link, ms(360), 3, 0b10);
    assert_eq!(link.round_trip().smoothed(), (ms(80) * 7 + ms(160)) / 8);
    assert_eq!(link.round_trip().variation(), (ms(40) * 3 + ms(80)) / 4);
    // Nothing is learned from an acknowledgement without news.
    acknowledge(&mut link, ms(900), 3, 0b10);
    assert_eq!(link.round_trip().smoothed(), ms(90));
}

#[test]
fn round_trip_follows_a_path_that_becomes_longer_than_the_loss_time() {
    let mut link = link();
    for tick in 1..=40 {
        let now = ms(u64::from(tick) * 1_000);
        let sequence = send(&mut link, now, tick);
        on_time(&mut link, now + ms(900), tick);
        acknowledge(&mut link, now + ms(900), sequence, 0);
    }
    assert!(link.loss_time() > ms(900));
    let spurious = link.loss().spurious;
    assert!((1..30).contains(&spurious), "{spurious}");
}

#[test]
fn handled_packets_never_go_back() {
    let mut link = link();
    for _ in 0..5 {
        link.count_reliable();
    }
    for handled in [4, 2] {
        let ack = Ack {
            handled,
            ..ack(0, 0)
        };
        link.on_ack(
            ms(0),
            &Ack {
                newest: None,
                ..ack
            },
            &mut Vec::new(),
        );
        assert_eq!(link.handled(), 4);
    }
    assert!(!link.needs_after(4) && link.needs_after(5));
    assert_eq!(link.bad_acks(), 0);
}
