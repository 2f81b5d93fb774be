//! Behaviours with `gather = false`: their changes do not wait for the other packets of the tick.

use syncvar::prelude::*;

use super::{Datagram, Link, Mover, Stream, Update};

/// Behaviour whose changes are applied on arrival.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, gather = false)]
pub(super) struct Scout {
    #[sync_var(hook = on_x)]
    x: SyncVar<i32>,
    #[sync_var]
    trail: SyncList<i32>,
    #[sync_var(read = owner)]
    ammo: SyncVar<i32>,
    heard: Vec<(i32, i32)>,
    called: u32,
}

impl Scout {
    fn on_x(&mut self, former: i32) {
        self.heard.push((former, *self.x));
    }
}

#[network_calls]
impl Scout {
    #[client_rpc(unreliable)]
    fn shout(&mut self) {
        self.called += 1;
    }
}

/// Spawns an object with a behaviour of each kind, owned by the client.
fn spawn(link: &mut Link, tick: u32) -> NetId {
    let behaviours = (Mover::default(), Scout::default());
    let id = link.server.spawn(behaviours);
    link.server.set_owner(id, Some(link.connection)).unwrap();
    let update = link.update();
    link.stream(Stream::of(tick), &update.stream).unwrap();
    link.events();
    id
}

/// Sets the first field of both behaviours.
fn move_both(link: &mut Link, id: NetId, value: i32) -> Update {
    link.server.get_mut::<Mover>(id).unwrap().x.set(value);
    link.server.get_mut::<Scout>(id).unwrap().x.set(value);
    link.update()
}

fn scout(link: &Link, id: NetId) -> &Scout {
    link.client.get(id).unwrap()
}

/// The first of two datagrams of a tick.
fn first_of_two(sequence: u16, tick: u32) -> Datagram {
    Datagram {
        part: Some((0, 2)),
        ..Datagram::of(sequence, tick)
    }
}

/// The second of two datagrams of a tick.
fn second_of_two(sequence: u16, tick: u32) -> Datagram {
    Datagram {
        part: Some((1, 2)),
        ..Datagram::of(sequence, tick)
    }
}

#[test]
fn changes_without_gather_are_applied_on_arrival_and_once() {
    let mut link = Link::new();
    let id = spawn(&mut link, 2);
    let update = move_both(&mut link, id, 1);
    link.datagram(first_of_two(1, 4), &update.lossy).unwrap();
    assert_eq!((*scout(&link, id).x, *link.mover(id).x), (1, 0));
    assert_eq!(scout(&link, id).heard, [(0, 1)]);
    let changed = link.events();
    let changed = changed
        .iter()
        .filter(|event| event.changed::<Scout>().is_some());
    assert_eq!(changed.count(), 1);
    assert_eq!(link.client.link_quality().received, 0, "acknowledged whole");
    link.datagram(second_of_two(2, 4), &[]).unwrap();
    assert_eq!((*scout(&link, id).x, *link.mover(id).x), (1, 1));
    assert_eq!(scout(&link, id).heard, [(0, 1)]);
    assert_eq!(link.mover(id).heard, [(0, 1)]);
    let events = link.events();
    assert!(
        events
            .iter()
            .all(|event| event.changed::<Scout>().is_none())
    );
    assert!(
        events
            .iter()
            .any(|event| event.changed::<Mover>().is_some())
    );
}

#[test]
fn late_datagram_replaces_no_newer_value_that_did_not_wait() {
    let mut link = Link::new();
    let id = spawn(&mut link, 2);
    let old = move_both(&mut link, id, 1);
    let new = move_both(&mut link, id, 2);
    link.datagram(first_of_two(3, 5), &new.lossy).unwrap();
    assert_eq!((*scout(&link, id).x, *link.mover(id).x), (2, 0));
    link.datagram(first_of_two(1, 4), &old.lossy).unwrap();
    assert_eq!((*scout(&link, id).x, *link.mover(id).x), (2, 1));
    link.datagram(second_of_two(4, 5), &[]).unwrap();
    assert_eq!((*scout(&link, id).x, *link.mover(id).x), (2, 2));
    assert_eq!(scout(&link, id).heard, [(0, 2)]);
    assert_eq!(link.mover(id).heard, [(0, 1), (1, 2)]);
}

#[test]
fn private_fields_and_calls_wait_without_gather_too() {
    let mut link = Link::new();
    let id = spawn(&mut link, 2);
    link.server.get_mut::<Scout>(id).unwrap().ammo.set(5);
    let update = move_both(&mut link, id, 1);
    link.server.calls::<Scout>(id).shout().unwrap();
    let call = link.update();
    let messages = [&update.lossy[..], &call.lossy].concat();
    let datagram = Datagram {
        after: Some(link.sent + 1),
        ..first_of_two(1, 4)
    };
    link.datagram(datagram, &messages).unwrap();
    let seen = |link: &Link| {
        let scout = scout(link, id);
        (*scout.x, *scout.ammo, scout.called)
    };
    assert_eq!(seen(&link), (1, 0, 0));
    link.datagram(second_of_two(2, 4), &[]).unwrap();
    assert_eq!(seen(&link), (1, 0, 0));
    let header = Stream {
        datagrams: Some(2),
        ..Stream::of(4)
    };
    link.stream(header, &[]).unwrap();
    assert_eq!(seen(&link), (1, 5, 1));
    assert_eq!(scout(&link, id).heard, [(0, 1)]);
}

#[test]
fn collection_without_gather_is_applied_once() {
    let mut link = Link::new();
    let id = spawn(&mut link, 2);
    for number in 1..4_i32 {
        let tick = number.cast_unsigned() + 3;
        link.server.get_mut::<Scout>(id).unwrap().trail.push(number);
        let update = link.update();
        let sequence = u16::try_from(2 * number).unwrap();
        link.datagram(first_of_two(sequence - 1, tick), &update.lossy)
            .unwrap();
        assert_eq!(scout(&link, id).trail.last(), Some(&number));
        link.datagram(second_of_two(sequence, tick), &[]).unwrap();
        assert_eq!(
            scout(&link, id).trail.iter().sum::<i32>(),
            number * (number + 1) / 2
        );
    }
}

#[test]
fn object_that_arrives_in_the_same_tick_is_not_changed_before() {
    let mut link = Link::new();
    let id = link.server.spawn((Mover::default(), Scout::default()));
    let snapshot = link.update();
    let update = move_both(&mut link, id, 1);
    let datagram = Datagram {
        after: Some(link.sent + 1),
        ..first_of_two(1, 4)
    };
    link.datagram(datagram, &update.lossy).unwrap();
    link.stream(Stream::of(3), &snapshot.stream).unwrap();
    assert!(link.client.get::<Scout>(id).is_some());
    link.datagram(second_of_two(2, 4), &[]).unwrap();
    assert_eq!((*scout(&link, id).x, *link.mover(id).x), (1, 1));
}
