//! Ticks: packets of one tick are applied together and reported.

use std::time::Duration;

use syncvar::ClientConfig;

use super::{Datagram, Link, Stream};

#[test]
fn tick_waits_for_all_its_datagrams() {
    let mut link = Link::new();
    let (first, second) = (link.spawn(2), link.spawn(3));
    link.events();
    let updates = [
        link.change(first, |mover| mover.x.set(1)),
        link.change(second, |mover| mover.x.set(2)),
    ];
    let part = |index| Datagram {
        part: Some((index, 2)),
        ..Datagram::of(u16::from(index) + 1, 4)
    };
    link.datagram(part(1), &updates[1].lossy).unwrap();
    assert_eq!(link.values(second), (0, 0));
    assert_eq!(link.ticks(), []);
    link.datagram(part(0), &updates[0].lossy).unwrap();
    assert_eq!((link.values(first), link.values(second)), ((1, 0), (2, 0)));
    assert_eq!(link.ticks(), [(4, true, false)]);
}

#[test]
fn packets_of_the_stream_wait_for_the_datagrams_of_their_tick() {
    let mut link = Link::new();
    let id = link.spawn(2);
    link.events();
    link.server
        .get_mut::<super::Sign>(id)
        .unwrap()
        .number
        .set(5);
    let update = link.change(id, |mover| mover.x.set(1));
    let header = Stream {
        datagrams: Some(1),
        ..Stream::of(3)
    };
    link.stream(header, &update.stream).unwrap();
    let number = |link: &Link| *link.client.get::<super::Sign>(id).unwrap().number;
    assert_eq!((number(&link), link.values(id)), (0, (0, 0)));
    let datagram = Datagram {
        after: Some(link.sent),
        ..Datagram::of(1, 3)
    };
    link.datagram(datagram, &update.lossy).unwrap();
    assert_eq!((number(&link), link.values(id)), (5, (1, 0)));
    assert_eq!(link.ticks(), [(3, true, false)]);
}

#[test]
fn missing_datagram_is_not_waited_for_beyond_the_gather_time() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(1));
    let part = Datagram {
        part: Some((0, 2)),
        ..Datagram::of(1, 3)
    };
    link.events();
    link.wait(0);
    link.datagram(part, &update.lossy).unwrap();
    link.wait(20);
    assert_eq!(link.values(id), (0, 0));
    link.wait(20);
    assert_eq!(link.values(id), (1, 0));
    assert_eq!(link.ticks(), []);
    // The packets of a later tick are here: this tick is not complete, and without its datagram neither is the later.
    link.datagram(Datagram::of(3, 4), &[]).unwrap();
    assert_eq!(link.ticks(), [(3, false, false), (4, false, true)]);
    // Its rest is applied and not reported again.
    let update = link.change(id, |mover| mover.y.set(1));
    let part = Datagram {
        part: Some((1, 2)),
        ..Datagram::of(2, 3)
    };
    link.datagram(part, &update.lossy).unwrap();
    assert_eq!(link.values(id), (1, 1));
    assert_eq!(link.ticks(), []);
    link.datagram(Datagram::of(4, 5), &[]).unwrap();
    assert_eq!(link.ticks(), [(5, true, false)]);
}

#[test]
fn packet_of_a_later_tick_ends_the_wait() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(1));
    let part = Datagram {
        part: Some((0, 2)),
        ..Datagram::of(1, 3)
    };
    link.datagram(part, &update.lossy).unwrap();
    link.stream(Stream::of(4), &[]).unwrap();
    assert_eq!(link.values(id), (1, 0));
}

#[test]
fn without_gather_time_each_packet_is_applied_at_once() {
    let config = ClientConfig {
        gather_time: Some(Duration::ZERO),
        ..ClientConfig::default()
    };
    let mut link = Link::with_config(config, syncvar_testing::DATAGRAMS);
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(1));
    let part = Datagram {
        part: Some((1, 2)),
        ..Datagram::of(1, 3)
    };
    link.datagram(part, &update.lossy).unwrap();
    assert_eq!(link.values(id), (1, 0));
}

#[test]
fn tick_with_withheld_changes_is_not_complete() {
    /// PARTIAL and OWED.
    const PARTIAL: u8 = 0x20;

    const OWED: u8 = 0x40;

    let mut link = Link::new();
    link.events();
    let datagram = |sequence, tick, flags| Datagram {
        flags,
        ..Datagram::of(sequence, tick)
    };
    link.datagram(datagram(1, 2, PARTIAL | OWED), &[]).unwrap();
    assert!(link.client.link_quality().owed);
    let partial = Stream {
        is_partial: true,
        ..Stream::of(3)
    };
    link.stream(partial, &[]).unwrap();
    link.datagram(datagram(2, 4, 0), &[]).unwrap();
    assert!(!link.client.link_quality().owed);
    let ticks = [(2, false, false), (3, false, false), (4, true, false)];
    assert_eq!(link.ticks(), ticks);
}

#[test]
fn at_most_64_ticks_wait_for_their_packets() {
    let mut link = Link::new();
    link.events();
    for tick in 2..=100 {
        let part = Datagram {
            part: Some((0, 2)),
            ..Datagram::of(tick, u32::from(tick))
        };
        link.datagram(part, &[]).unwrap();
    }
    let ticks = link.ticks();
    assert!(ticks.len() >= 98 - 64, "{}", ticks.len());
    assert!(ticks.iter().all(|(_, complete, _)| !complete));
    assert!(ticks.is_sorted());
    assert_eq!(
        ticks.first(),
        Some(&(2, false, true)),
        "sequence 1 is missing"
    );
}

#[test]
fn hooks_run_after_all_packets_of_their_tick() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let first = link.change(id, |mover| mover.x.set(1));
    let second = link.change(id, |mover| mover.x.set(2));
    for (index, update) in [first, second].iter().enumerate() {
        let index = u8::try_from(index).unwrap();
        let part = Datagram {
            part: Some((index, 2)),
            ..Datagram::of(u16::from(index) + 1, 3)
        };
        link.datagram(part, &update.lossy).unwrap();
    }
    // Of one tick, the first packet counts; its hook has run once all were read.
    assert_eq!(link.mover(id).heard, [(0, 1)]);
}

#[test]
fn call_after_state_sees_the_state_of_its_tick() {
    let mut link = Link::new();
    let id = link.spawn(2);
    link.server.calls::<super::Mover>(id).explode().unwrap();
    let update = link.change(id, |mover| mover.x.set(9));
    let header = Stream {
        datagrams: Some(1),
        ..Stream::of(3)
    };
    link.wait(0);
    link.stream(header, &update.stream).unwrap();
    // The datagram is late.
    link.wait(60);
    assert!(link.mover(id).called.is_empty());
    link.datagram(Datagram::of(1, 3), &update.lossy).unwrap();
    assert_eq!(link.mover(id).called, [9]);
}

#[test]
fn call_after_state_runs_with_the_next_complete_tick() {
    let mut link = Link::new();
    let id = link.spawn(2);
    link.server.calls::<super::Mover>(id).explode().unwrap();
    let update = link.change(id, |mover| mover.x.set(9));
    let header = Stream {
        datagrams: Some(1),
        ..Stream::of(3)
    };
    link.stream(header, &update.stream).unwrap();
    link.stream(Stream::of(4), &[]).unwrap();
    assert_eq!(link.mover(id).called, [0]);
    assert_eq!(link.ticks().last(), Some(&(4, true, false)));
}
