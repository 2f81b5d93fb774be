//! Newest values win: late, repeated and foreign entries.

use syncvar::prelude::*;
use syncvar::{ClientConfig, PacketLimits};

use super::{Datagram, Link, Stream};

#[test]
fn late_datagram_keeps_the_newer_value_and_brings_the_other_fields() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let first = link.change(id, |mover| {
        mover.x.set(1);
        mover.y.set(1);
    });
    let second = link.change(id, |mover| mover.x.set(2));
    link.datagram(Datagram::of(2, 4), &second.lossy).unwrap();
    assert_eq!(link.values(id), (2, 0));
    link.datagram(Datagram::of(1, 3), &first.lossy).unwrap();
    assert_eq!(link.values(id), (2, 1));
    assert_eq!(link.mover(id).heard, [(0, 2)]);
}

#[test]
fn change_has_the_tick_of_its_packet() {
    let mut link = Link::new();
    let id = link.spawn(2);
    link.events();
    let update = link.change(id, |mover| mover.x.set(1));
    link.datagram(Datagram::of(1, 7), &update.lossy).unwrap();
    link.server
        .get_mut::<super::Sign>(id)
        .unwrap()
        .number
        .set(1);
    let update = link.update();
    link.stream(Stream::of(8), &update.stream).unwrap();
    let events = link.events().into_iter();
    let ticks = events.filter_map(|event| match event {
        ClientEvent::Changed { fields, .. } => fields.tick(),
        _ => None,
    });
    // The first tick of the headers is that of the time zero.
    assert_eq!(ticks.collect::<Vec<_>>(), [6, 7]);
}

#[test]
fn entry_for_an_absent_object_is_passed_over() {
    let mut link = Link::new();
    let id = link
        .server
        .spawn((super::Mover::default(), super::Sign::default()));
    let snapshot = link.update();
    let update = link.change(id, |mover| mover.x.set(1));
    link.datagram(Datagram::of(1, 3), &update.lossy).unwrap();
    link.stream(Stream::of(3), &snapshot.stream).unwrap();
    // The datagram is of the tick of the spawn: the snapshot counts.
    assert_eq!(link.values(id), (0, 0));
    link.datagram(Datagram::of(2, 3), &update.lossy).unwrap();
    assert_eq!(link.values(id), (0, 0));
    link.datagram(Datagram::of(3, 4), &update.lossy).unwrap();
    assert_eq!(link.values(id), (1, 0));
}

#[test]
fn repeated_datagram_runs_no_call() {
    let mut link = Link::new();
    let id = link.spawn(2);
    link.server.calls::<super::Mover>(id).shout(7).unwrap();
    let update = link.update();
    for _ in 0..3 {
        link.datagram(Datagram::of(1, 3), &update.lossy).unwrap();
    }
    // 70 sequences later it is no longer in the mask.
    link.datagram(Datagram::of(71, 4), &[]).unwrap();
    link.datagram(Datagram::of(1, 3), &update.lossy).unwrap();
    assert_eq!(link.mover(id).called, [7]);
    let quality = link.client.link_quality();
    assert_eq!(
        (quality.received, quality.duplicates, quality.missing),
        (2, 3, 69)
    );
}

#[test]
fn datagram_behind_the_mask_brings_state_and_no_call() {
    let mut link = Link::new();
    let id = link.spawn(2);
    link.server.calls::<super::Mover>(id).shout(7).unwrap();
    let update = link.change(id, |mover| mover.x.set(1));
    link.datagram(Datagram::of(80, 4), &[]).unwrap();
    link.datagram(Datagram::of(3, 3), &update.lossy).unwrap();
    assert_eq!(link.values(id), (1, 0));
    assert!(link.mover(id).called.is_empty());
}

#[test]
fn unreadable_entry_poisons_the_object_until_a_snapshot() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(1));
    let mut broken = update.lossy.clone();
    // A bit of no field in the mask of the entry.
    let last = broken.len() - 2;
    broken[last] = 0x80;
    let _ = link.datagram(Datagram::of(1, 3), &broken);
    assert!(
        link.events()
            .iter()
            .any(|it| matches!(it, ClientEvent::Poisoned { .. }))
    );
    let packets = link.wait(0);
    assert_eq!(packets.len(), 1);
    assert_eq!(
        packets[0][0] & 0x10,
        0x10,
        "the request has the acknowledgement with it"
    );
    assert_eq!(link.ack(), None);
}

#[test]
fn snapshot_of_a_poisoned_object_replaces_all_values() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(1));
    let mut broken = update.lossy.clone();
    let last = broken.len() - 2;
    broken[last] = 0x80;
    let _ = link.datagram(Datagram::of(1, 9), &broken);
    link.up();
    let update = link.change(id, |mover| mover.x.set(3));
    link.stream(Stream::of(5), &update.stream).unwrap();
    assert_eq!(link.values(id), (3, 0));
    // Values older than the snapshot do not return.
    let update = link.change(id, |mover| mover.x.set(4));
    link.datagram(Datagram::of(2, 5), &update.lossy).unwrap();
    assert_eq!(link.values(id), (3, 0));
    link.datagram(Datagram::of(3, 6), &update.lossy).unwrap();
    assert_eq!(link.values(id), (4, 0));
}

#[test]
fn malformed_datagram_is_dropped_and_not_acknowledged() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(1));
    let good = Datagram::of(1, 3).bytes(&update.lossy);
    let mut lone = good.clone();
    // A tick without a sequence.
    lone[0] = 0x02;
    let index = Datagram {
        part: Some((3, 3)),
        ..Datagram::of(1, 3)
    };
    for bytes in [&[][..], &good[..5], &lone, &index.bytes(&update.lossy)] {
        assert!(link.client.handle_datagram(1, bytes).is_err());
    }
    let far = Datagram::of(1, 3 + (1 << 31));
    assert!(link.datagram(far, &update.lossy).is_err());
    assert_eq!(link.values(id), (0, 0));
    assert_eq!(link.client.link_quality().received, 0);
    link.client.handle_datagram(1, &good).unwrap();
    assert_eq!(link.values(id), (1, 0));
}

#[test]
fn datagram_on_a_transport_without_them_is_an_error() {
    let mut link = Link::with_config(ClientConfig::default(), PacketLimits::STREAM);
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(1));
    assert!(link.datagram(Datagram::of(1, 3), &update.lossy).is_err());
    assert_eq!(link.values(id), (0, 0));
}

#[test]
fn state_on_the_stream_has_ticks_too() {
    let mut link = Link::with_config(ClientConfig::default(), PacketLimits::STREAM);
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(1));
    let stream = Stream::of(3);
    link.tick = 3;
    // A packet of channel 1 on the stream.
    let packet = [&[3, 1][..], &update.lossy].concat();
    link.client.handle_packet(1, &packet).unwrap();
    assert_eq!(link.values(id), (1, 0));
    // The same tick once more.
    let update = link.change(id, |mover| mover.x.set(2));
    let packet = [&[2][..], &update.lossy].concat();
    link.client.handle_packet(1, &packet).unwrap();
    assert_eq!(link.values(id), (1, 0), "{stream:?}");
}
