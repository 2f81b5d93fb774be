//! Early datagrams: packets of the stream that precede them are missing.

use super::{Datagram, Link, Mover, Sign, Stream};

/// A datagram behind the next packet of the stream.
fn behind_next(link: &Link, sequence: u16, tick: u32) -> Datagram {
    Datagram {
        after: Some(link.sent + 1),
        ..Datagram::of(sequence, tick)
    }
}

#[test]
fn public_fields_are_applied_and_the_rest_waits_for_the_stream() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let owner = link.connection;
    link.server.set_owner(id, Some(owner)).unwrap();
    let update = link.update();
    link.stream(Stream::of(3), &update.stream).unwrap();
    let update = link.change(id, |mover| {
        mover.x.set(1);
        mover.ammo.set(5);
    });
    link.server.calls::<Mover>(id).shout(7).unwrap();
    let call = link.update();
    let messages = [&update.lossy[..], &call.lossy].concat();
    link.datagram(behind_next(&link, 1, 5), &messages).unwrap();
    link.wait(50);
    let mover = link.mover(id);
    assert_eq!((*mover.x, *mover.ammo, &mover.called[..]), (1, 0, &[][..]));
    let quality = link.client.link_quality();
    assert_eq!((quality.early, quality.received), (1, 0));
    assert_eq!(link.ack().map(|(newest, ..)| newest), None, "not applied");
    link.stream(Stream::of(4), &[]).unwrap();
    let mover = link.mover(id);
    assert_eq!((*mover.x, *mover.ammo, &mover.called[..]), (1, 5, &[7][..]));
    assert_eq!(mover.heard, [(0, 1)]);
    assert_eq!(link.client.link_quality().received, 1);
}

#[test]
fn entry_of_a_new_object_is_applied_after_its_spawn() {
    let mut link = Link::new();
    link.wait(0);
    let id = link.server.spawn((Mover::default(), Sign::default()));
    let snapshot = link.update();
    let update = link.change(id, |mover| mover.x.set(3));
    link.events();
    link.datagram(behind_next(&link, 1, 5), &update.lossy)
        .unwrap();
    link.wait(50);
    link.stream(Stream::of(4), &snapshot.stream).unwrap();
    assert_eq!(link.values(id), (3, 0));
    assert_eq!(link.ticks(), [(4, true, false), (5, true, false)]);
}

#[test]
fn older_snapshot_of_a_known_object_keeps_early_values() {
    let mut link = Link::new();
    let id = link.spawn(2);
    link.change(id, |mover| mover.y.set(4));
    // A refused write asks for the snapshot.
    link.client.get_mut::<Mover>(id).unwrap().y.set(9);
    link.up();
    let snapshot = link.update();
    let update = link.change(id, |mover| mover.x.set(8));
    link.datagram(behind_next(&link, 1, 6), &update.lossy)
        .unwrap();
    link.wait(50);
    assert_eq!(link.values(id), (8, 9));
    link.stream(Stream::of(5), &snapshot.stream).unwrap();
    assert_eq!(link.values(id), (8, 4));
}

#[test]
fn oldest_of_too_many_early_datagrams_is_lost() {
    let mut link = Link::new();
    let id = link.spawn(2);
    link.wait(0);
    for sequence in 1..=65 {
        let header = behind_next(&link, sequence, 2 + u32::from(sequence));
        link.server
            .calls::<Mover>(id)
            .shout(sequence.into())
            .unwrap();
        let update = link.update();
        link.datagram(header, &update.lossy).unwrap();
    }
    link.wait(50);
    link.stream(Stream::of(3), &[]).unwrap();
    let called = &link.mover(id).called;
    assert_eq!((called.len(), called.first()), (64, Some(&2)));
    let quality = link.client.link_quality();
    assert_eq!((quality.received, quality.missing), (64, 1));
}

#[test]
fn despawned_object_is_not_brought_back() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let update = link.change(id, |mover| mover.x.set(3));
    link.server.despawn(id).unwrap();
    let gone = link.update();
    link.stream(Stream::of(4), &gone.stream).unwrap();
    link.events();
    link.datagram(Datagram::of(1, 3), &update.lossy).unwrap();
    assert!(link.client.identity(id).is_none());
    assert_eq!(link.ticks(), []);
    assert_eq!(link.client.link_quality().received, 1);
}

#[test]
fn field_of_a_former_owner_stays_reset() {
    let mut link = Link::new();
    let id = link.spawn(2);
    let owner = link.connection;
    link.server.set_owner(id, Some(owner)).unwrap();
    let update = link.update();
    link.stream(Stream::of(3), &update.stream).unwrap();
    let late = link.change(id, |mover| mover.ammo.set(5));
    link.server.set_owner(id, None).unwrap();
    let update = link.update();
    link.stream(Stream::of(5), &update.stream).unwrap();
    link.datagram(Datagram::of(1, 4), &late.lossy).unwrap();
    assert_eq!(*link.mover(id).ammo, 0);
}
