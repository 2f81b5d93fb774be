mod model;

use super::*;

const A: ConnectionId = ConnectionId(1);
const B: ConnectionId = ConnectionId(2);

/// Audiences of one channel with A and B ready.
fn audiences() -> Audiences {
    let mut audiences = Audiences::new(&[Channel::Reliable], 100);
    audiences.add_ready(B, Framing::Unet);
    audiences.add_ready(A, Framing::Unet);
    audiences
}

/// Moves an object from one audience to another.
fn name(audiences: &mut Audiences, former: AudienceId, instead: AudienceId) {
    audiences.acquire(instead);
    audiences.release(former);
}

/// The audience of all connections except this one, with an object.
fn without(audiences: &mut Audiences, connection: ConnectionId) -> AudienceId {
    let id = audiences.with(Audiences::EVERYONE, connection, false);
    audiences.acquire(id);
    id
}

fn ready(audiences: &Audiences, id: AudienceId) -> Vec<ConnectionId> {
    audiences.get(id).ready().collect()
}

/// All delivered bytes with their receivers.
fn delivered(audiences: &mut Audiences) -> Vec<(Vec<u8>, Vec<ConnectionId>)> {
    let mut all = Vec::new();
    audiences.drain(|it| all.push((it.chunks.concat(), it.members.to_vec())));
    all
}

fn write(audiences: &mut Audiences, id: AudienceId, byte: u8) {
    write_in(audiences, id, Framing::Unet, byte);
}

fn write_in(audiences: &mut Audiences, id: AudienceId, framing: Framing, byte: u8) {
    let mut outputs = audiences.outputs(id);
    let mut channel = outputs.channel(0);
    if let Some(segments) = channel.find(|segments| Framing::of(segments) == framing) {
        segments.begin().write_bytes(&[byte]);
        segments.commit();
    }
}

#[test]
fn equal_members_share_an_audience() {
    let mut audiences = audiences();
    let without_a = audiences.with(Audiences::EVERYONE, A, false);
    assert_eq!(ready(&audiences, without_a), [B]);
    assert_eq!(audiences.with(without_a, A, true), Audiences::EVERYONE);
    let only_b = audiences.with(Audiences::NOBODY, B, true);
    assert_eq!(ready(&audiences, only_b), [B]);
    assert_ne!(only_b, without_a);
    assert_eq!(audiences.with(Audiences::EVERYONE, A, false), without_a);
}

#[test]
fn an_unused_audience_is_reused() {
    let mut audiences = audiences();
    let without_a = without(&mut audiences, A);
    audiences.release(without_a);
    audiences.drain(|_| ());
    let other = audiences.with(Audiences::NOBODY, A, true);
    assert_eq!((other, ready(&audiences, other)), (without_a, vec![A]));
    assert_ne!(audiences.with(Audiences::EVERYONE, A, false), other);
}

#[test]
fn an_audience_of_one_object_is_edited_in_place() {
    let mut audiences = audiences();
    let id = without(&mut audiences, A);
    assert_eq!(audiences.with(id, B, false), id);
    assert!(!audiences.get(id).has_observers());
    assert_eq!(audiences.with(id, A, true), id);
    assert_eq!(ready(&audiences, id), [A]);
    assert_ne!(without(&mut audiences, A), id);
    assert_eq!(without(&mut audiences, B), id);
}

#[test]
fn a_shared_or_written_audience_is_not_edited() {
    let mut audiences = audiences();
    let id = without(&mut audiences, A);
    audiences.acquire(id);
    let other = audiences.with(id, B, false);
    assert_ne!(other, id);
    name(&mut audiences, id, other);
    write(&mut audiences, id, 7);
    assert_eq!(audiences.with(id, B, false), other);
    assert_eq!(delivered(&mut audiences), [(vec![7], vec![B])]);
}

#[test]
fn equal_audiences_merge_and_permanent_ones_stay() {
    let mut audiences = audiences();
    let (c, d) = (ConnectionId(3), ConnectionId(4));
    let without_c = without(&mut audiences, c);
    let without_d = without(&mut audiences, d);
    let only_c = audiences.with(Audiences::NOBODY, c, true);
    audiences.acquire(only_c);
    let both = audiences.with(Audiences::EVERYONE, c, false);
    audiences.acquire(both);
    let both = audiences.with(both, d, false);
    name(&mut audiences, without_c, both);
    let merged = audiences.forget(c);
    let expected = [
        (without_c, Audiences::EVERYONE),
        (only_c, Audiences::NOBODY),
        (both, without_d),
    ];
    assert_eq!(merged, expected);
    for (former, instead) in merged {
        name(&mut audiences, former, instead);
    }
    assert_eq!(audiences.forget(d), [(without_d, Audiences::EVERYONE)]);
    assert!(audiences.mentions.is_empty());
    assert_eq!(audiences.by_members.len(), 2);
}

#[test]
fn bytes_from_before_a_merge_reach_the_remaining_members() {
    let mut audiences = audiences();
    let c = ConnectionId(3);
    audiences.add_ready(c, Framing::Unet);
    let without_b = without(&mut audiences, B);
    let neither = audiences.with(without_b, c, false);
    name(&mut audiences, without_b, neither);
    let without_b = without(&mut audiences, B);
    write(&mut audiences, neither, 1);
    assert_eq!(audiences.forget(c), [(neither, without_b)]);
    name(&mut audiences, neither, without_b);
    write(&mut audiences, without_b, 2);
    let expected = [(vec![1], vec![A]), (vec![2], vec![A])];
    assert_eq!(delivered(&mut audiences), expected);
    assert_eq!(audiences.free, [neither]);
    assert_eq!(without(&mut audiences, B), without_b);
}

#[test]
fn a_closed_connection_leaves_all_lists() {
    let mut audiences = audiences();
    let only_a = audiences.with(Audiences::NOBODY, A, true);
    audiences.acquire(only_a);
    let without_b = without(&mut audiences, B);
    assert_eq!(audiences.forget(A), [(only_a, Audiences::NOBODY)]);
    assert!(!audiences.get(without_b).has_observers());
    assert_eq!(ready(&audiences, Audiences::EVERYONE), [B]);
    assert!(audiences.admits(without_b, A) && !audiences.admits(only_a, A));
}

/// The audience based on an area, with an object.
fn of_area(audiences: &mut Audiences, area: Area, owner: Option<ConnectionId>) -> AudienceId {
    let id = audiences.rebase(Audiences::NOBODY, Base::Area(area), owner, &[]);
    audiences.acquire(id);
    id
}

/// The audiences changed when a connection begins or ceases to see an area.
fn changed_by(
    audiences: &mut Audiences,
    connection: ConnectionId,
    area: Area,
    sees: bool,
) -> Vec<AudienceId> {
    let mut changed = Vec::new();
    if sees {
        audiences.reveal(connection, area, &mut changed);
    } else {
        audiences.conceal(connection, area, &mut changed);
    }
    assert_eq!(audiences.sees(connection, area), sees);
    changed
}

const HERE: Area = Area(7);
const THERE: Area = Area(u64::MAX);

#[test]
fn viewers_of_an_area_are_in_its_audiences() {
    let mut audiences = audiences();
    let here = of_area(&mut audiences, HERE, None);
    let there = of_area(&mut audiences, THERE, None);
    assert_ne!(here, there);
    assert_eq!(changed_by(&mut audiences, A, HERE, true), [here]);
    assert_eq!(changed_by(&mut audiences, A, HERE, true), []);
    assert_eq!(ready(&audiences, here), [A]);
    assert!(audiences.admits(here, A) && !audiences.admits(here, B));
    assert!(!audiences.get(there).has_observers());
    assert_eq!(changed_by(&mut audiences, A, HERE, false), [here]);
    assert_eq!(changed_by(&mut audiences, A, HERE, false), []);
    assert!(!audiences.get(here).has_observers());
}

#[test]
fn a_new_audience_contains_the_viewers_of_its_area() {
    let mut audiences = audiences();
    assert_eq!(changed_by(&mut audiences, B, HERE, true), []);
    let owned_by_a = of_area(&mut audiences, HERE, Some(A));
    assert_eq!(ready(&audiences, owned_by_a), [A, B]);
    assert_eq!(audiences.base(owned_by_a), Base::Area(HERE));
}

#[test]
fn a_ready_connection_joins_the_areas_it_sees() {
    let mut audiences = audiences();
    let c = ConnectionId(3);
    let here = of_area(&mut audiences, HERE, None);
    assert_eq!(changed_by(&mut audiences, c, HERE, true), []);
    assert!(!audiences.get(here).has_observers());
    audiences.add_ready(c, Framing::Unet);
    assert_eq!(ready(&audiences, here), [c]);
    audiences.remove_ready(c);
    assert!(!audiences.get(here).has_observers() && audiences.sees(c, HERE));
}

#[test]
fn areas_do_not_matter_for_owners_and_exceptions() {
    let mut audiences = audiences();
    let here = of_area(&mut audiences, HERE, None);
    let special = of_area(&mut audiences, HERE, Some(A));
    assert_eq!(audiences.with(special, B, true), special);
    assert_eq!(ready(&audiences, special), [A, B]);
    assert_eq!(changed_by(&mut audiences, A, HERE, true), [here]);
    assert_eq!(changed_by(&mut audiences, B, HERE, true), [here]);
    assert_eq!(audiences.with(special, A, false), special);
    assert_eq!(ready(&audiences, special), [B], "even the owner");
    assert_eq!(changed_by(&mut audiences, A, HERE, false), [here]);
    assert_eq!(changed_by(&mut audiences, B, HERE, false), [here]);
    assert_eq!(ready(&audiences, special), [B]);
}

#[test]
fn a_shown_connection_keeps_the_object_outside_the_area() {
    let mut audiences = audiences();
    let here = of_area(&mut audiences, HERE, None);
    audiences.acquire(here);
    changed_by(&mut audiences, A, HERE, true);
    let shown = audiences.with(here, A, true);
    assert_ne!(shown, here);
    name(&mut audiences, here, shown);
    assert_eq!(changed_by(&mut audiences, A, HERE, false), [here]);
    assert_eq!(ready(&audiences, shown), [A]);
    assert_eq!(audiences.restore(shown, A), here);
}

#[test]
fn rebasing_keeps_exceptions_that_matter() {
    let mut audiences = audiences();
    changed_by(&mut audiences, B, HERE, true);
    let without_a = without(&mut audiences, A);
    let here = audiences.rebase(without_a, Base::Area(HERE), Some(A), &[]);
    audiences.acquire(here);
    assert_eq!(ready(&audiences, here), [B]);
    assert_eq!(audiences.rebase(here, Base::Area(HERE), Some(A), &[]), here);
    assert_eq!(
        audiences.rebase(here, Base::Everyone, Some(B), &[]),
        without_a
    );
    let nobody = audiences.rebase(here, Base::Nobody, Some(A), &[]);
    assert_eq!(nobody, Audiences::NOBODY);
}

#[test]
fn an_unused_area_leaves_no_state() {
    let mut audiences = audiences();
    let here = of_area(&mut audiences, HERE, Some(B));
    changed_by(&mut audiences, A, HERE, true);
    audiences.release(here);
    audiences.drain(|_| ());
    assert!(audiences.area_based.is_empty() && audiences.mentions.is_empty());
    changed_by(&mut audiences, A, HERE, false);
    assert!(audiences.area_viewers.is_empty());
}

#[test]
fn closed_connection_owns_and_observes_no_object() {
    let mut audiences = audiences();
    let here = of_area(&mut audiences, HERE, None);
    let owned = of_area(&mut audiences, HERE, Some(A));
    changed_by(&mut audiences, A, HERE, true);
    assert_eq!(audiences.forget(A), [(owned, here)]);
    assert!(audiences.area_viewers.is_empty() && !audiences.sees(A, HERE));
    assert!(!audiences.get(here).has_observers());
}

#[test]
fn bytes_reach_the_members_of_their_dialect() {
    let mut audiences = Audiences::new(&[Channel::Reliable], 100);
    let c = ConnectionId(3);
    audiences.add_ready(c, Framing::Unet);
    audiences.add_ready(B, Framing::Compact);
    audiences.add_ready(A, Framing::Unet);
    let everyone = audiences.get(Audiences::EVERYONE);
    assert_eq!(everyone.observers(Framing::Unet), [A, c]);
    assert_eq!(everyone.observers(Framing::Compact), [B]);
    assert_eq!(ready(&audiences, Audiences::EVERYONE), [A, B, c]);
    write_in(&mut audiences, Audiences::EVERYONE, Framing::Compact, 1);
    write_in(&mut audiences, Audiences::EVERYONE, Framing::Unet, 2);
    let expected = [(vec![2], vec![A, c]), (vec![1], vec![B])];
    assert_eq!(delivered(&mut audiences), expected);
    assert_eq!(delivered(&mut audiences), []);
}

#[test]
fn buffers_exist_only_for_written_dialects() {
    let mut audiences = audiences();
    write(&mut audiences, Audiences::EVERYONE, 1);
    let everyone = audiences.get(Audiences::EVERYONE);
    assert!(everyone.unet.has_buffers() && !everyone.compact.has_buffers());
    assert!(!audiences.get(Audiences::NOBODY).unet.has_buffers());
}

#[test]
fn a_changed_dialect_moves_a_ready_member() {
    let mut audiences = audiences();
    audiences.add_ready(A, Framing::Compact);
    let everyone = audiences.get(Audiences::EVERYONE);
    assert_eq!(everyone.observers(Framing::Unet), [B]);
    assert_eq!(everyone.observers(Framing::Compact), [A]);
}
