//! Objects that change hands.

use syncvar::prelude::*;

use syncvar_testing::mirror::{FRAME, MirrorNetwork};

use super::net::{Bag, Body, Diary, FoundNetwork, Hands, SCENE, Whole, network, state};
use syncvar::mirror::MirrorSpawnOptions;

#[test]
fn new_owner_receives_pending_server_writes() {
    let mut net = network();
    let (me, _) = net.join_whole();
    let cart = net.server.spawn(Whole::default());
    net.frames(3);
    net.hands(cart).grip.set(5);
    net.hands(cart).held.push(6);
    net.server.set_owner(cart, Some(me)).unwrap();
    net.frames(3);
    let hands: &Hands = net.seen(me, cart);
    assert_eq!((*hands.grip, &hands.held[..]), (5, &[6][..]));
}

#[test]
fn former_owners_writes_reach_the_next_owner_once() {
    let mut net = network();
    let (former, _) = net.join_whole();
    let (second, _) = net.join_whole();
    let (third, _) = net.join_whole();
    let cart = net.server.spawn(Whole::default());
    net.server.set_owner(cart, Some(former)).unwrap();
    net.frames(3);
    // A change that is read, and before it has been sent on, the object changes hands.
    let grip = [
        &[1, 0, 0, 0, 0, 0, 0, 0][..],
        &[1, 0, 0, 0, 0, 18],
        &[1, 10],
    ]
    .concat();
    net.client(former)
        .get_mut::<Hands>(cart)
        .unwrap()
        .grip
        .set(5);
    net.client(former)
        .get_mut::<Hands>(cart)
        .unwrap()
        .held
        .push(9);
    let now = net.now;
    net.client(former).update(now);
    while net.client(former).poll_transmit().is_some() {}
    net.say(former, &[&state(cart, 4, &[&grip])]).unwrap();
    net.server.set_owner(cart, Some(second)).unwrap();
    net.frames(3);
    for connection in [former, second, third] {
        let hands: &Hands = net.seen(connection, cart);
        let seen = (*hands.grip, &hands.held[..]);
        assert_eq!(seen, (5, &[9][..]), "{connection}");
    }
}

#[test]
fn new_owner_receives_owner_only_collections() {
    let mut net = network();
    let (first, _) = net.join_whole();
    let (second, _) = net.join_whole();
    let mut whole = Whole::default();
    whole.1.items = [1, 2, 3].into();
    let chest = net.server.spawn(whole);
    net.frames(3);
    let check = |net: &MirrorNetwork, owner: ConnectionId| {
        let bag: &Bag = net.seen(owner, chest);
        let truth: &Bag = net.server.get(chest).unwrap();
        assert_eq!((*bag.coins, &bag.items), (*truth.coins, &truth.items));
    };
    net.server.set_owner(chest, Some(first)).unwrap();
    net.bag(chest).items.remove(0);
    net.frames(3);
    check(&net, first);
    // Something is pending when it changes hands.
    net.bag(chest).items.push(4);
    net.server.set_owner(chest, Some(second)).unwrap();
    net.bag(chest).coins.set(1);
    net.bag(chest).items.set(0, 9);
    net.frames(3);
    check(&net, second);
    // Somebody who has an old one gets it anew.
    net.server.set_owner(chest, Some(first)).unwrap();
    net.frames(3);
    check(&net, first);
    net.bag(chest).items.clear();
    net.frames(3);
    check(&net, first);
}

#[test]
fn pending_changes_survive_join_and_ownership_change() {
    let mut net = network();
    let (other, _) = net.join_whole();
    let chest = net.server.spawn(Whole::default());
    net.frames(3);
    net.server.set_owner(chest, Some(other)).unwrap();
    net.frames(3);
    let me = net.enter();
    net.bag(chest).items.push(1);
    net.bag(chest).items.push(2);
    net.server.set_owner(chest, Some(me)).unwrap();
    net.server.add_player(me, Whole::default()).unwrap();
    net.server.set_owner(chest, None).unwrap();
    net.frames(3);
    net.server.set_owner(chest, Some(me)).unwrap();
    net.frames(3);
    let bag: &Bag = net.seen(me, chest);
    assert_eq!(bag.items, [1, 2]);
}

#[test]
fn new_owner_receives_the_private_state_of_the_former() {
    let mut net = network();
    let (first, _) = net.join_whole();
    let (second, _) = net.join_whole();
    let chest = net.server.spawn(Whole::default());
    net.server.set_owner(chest, Some(first)).unwrap();
    net.frames(3);
    let mut diary = net.client(first).get_mut::<Diary>(chest).unwrap();
    diary.page.set(3);
    diary.lines.push(4);
    drop(diary);
    net.frames(3);
    net.server.set_owner(chest, Some(second)).unwrap();
    net.frames(3);
    let diary: &Diary = net.seen(second, chest);
    assert_eq!((*diary.page, &diary.lines[..]), (3, &[4][..]));
}

#[test]
fn unobserved_owner_writes_do_not_accumulate() {
    let mut net = network();
    let (me, player) = net.join_whole();
    net.join_whole();
    net.frames(3);
    // One line more, and all of them gone.
    let lines = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 14, 4, 0];
    net.say(me, &[&state(player, 8, &[&lines])]).unwrap();
    let diary: &Diary = net.server.get(player).unwrap();
    assert!(diary.lines.is_empty() && diary.lines.is_dirty());
    net.frame();
    let diary: &Diary = net.server.get(player).unwrap();
    assert!(!diary.lines.is_dirty(), "there are operations left");
}

#[test]
fn scene_object_with_partial_owner_state_is_equal_for_all() {
    let mut net = network();
    let (me, _) = net.join_whole();
    let (other, _) = net.join_whole();
    let options = MirrorSpawnOptions {
        owner: Some(me),
        ..MirrorSpawnOptions::default()
    };
    let cart = net
        .server
        .spawn_scene_object(SCENE, Whole::default(), options)
        .unwrap();
    net.frames(3);
    // The list has an operation and then one that is none; and the number before would be next.
    let half = [&[1, 0, 0, 0, 0, 0, 0, 0][..], &[2, 0, 0, 0, 0, 18, 77]].concat();
    let state = state(cart, 4, &[&half]);
    assert!(net.say(me, &[&state]).is_err());
    net.frames(3);
    assert!(!net.server.is_connected(me));
    let truth: &Hands = net.server.get(cart).unwrap();
    let truth = (*truth.grip, truth.held.to_vec());
    let hands: &Hands = net.seen(other, cart);
    assert_eq!((*hands.grip, hands.held.to_vec()), truth);
}

#[test]
fn an_object_that_changes_hands_while_it_is_called_is_as_right() {
    let mut net = network();
    let (first, _) = net.join_whole();
    let (second, _) = net.join_whole();
    let (third, _) = net.join_whole();
    let mut whole = Whole::default();
    whole.1.items = [1, 2].into();
    let cart = net.server.spawn(whole);
    net.server.set_owner(cart, Some(first)).unwrap();
    net.frames(3);
    net.bag(cart).items.push(3);
    net.hands(cart).held.push(4);
    net.client(second).calls::<Body>(cart).cmd_take().unwrap();
    net.frames(3);
    assert_eq!(net.server.owner(cart), Some(second));
    let bag: &Bag = net.seen(second, cart);
    assert_eq!(bag.items, [1, 2, 3]);
    // What the server wrote to what the first one wrote was not for that one, as in Mirror.
    for connection in [second, third] {
        let hands: &Hands = net.seen(connection, cart);
        assert_eq!((*hands.grip, &hands.held[..]), (0, &[4][..]));
        let body: &Body = net.seen(connection, cart);
        assert_eq!(*body.health, 1);
    }
    let bag: &Bag = net.seen(first, cart);
    assert_eq!(bag.items, [1, 2]);
}

/// An owner that is shown its object again while something of every component is pending that it knows.
fn shown_again() -> (MirrorNetwork, ConnectionId, ConnectionId, NetId) {
    let mut net = network();
    let (owner, id) = net.join_whole();
    let (other, _) = net.join_whole();
    net.frames(3);
    let client = net.client(owner);
    client.get_mut::<Hands>(id).unwrap().held.push(1);
    client.get_mut::<Diary>(id).unwrap().lines.push(2);
    net.bag(id).items.push(3);
    net.advance(FRAME);
    net.send(owner);
    assert!(net.server.hide(id, owner).is_ok() && net.server.restore(id, owner).is_ok());
    (net, owner, other, id)
}

fn assert_seen(net: &MirrorNetwork, owner: ConnectionId, id: NetId, held: &[i32]) {
    for client in net.clients.keys() {
        let hands: &Hands = net.seen(*client, id);
        assert_eq!(hands.held[..], *held, "{client}");
    }
    let (diary, bag): (&Diary, &Bag) = (net.seen(owner, id), net.seen(owner, id));
    assert_eq!((&diary.lines[..], &bag.items[..]), (&[2][..], &[3, 5][..]));
}

#[test]
fn owner_shown_its_object_again_skips_no_later_change() {
    let (mut net, owner, _, id) = shown_again();
    net.server.set_owner(id, None).unwrap();
    net.hands(id).held.push(4);
    net.frames(3);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.bag(id).items.push(5);
    net.frames(3);
    assert_seen(&net, owner, id, &[1, 4]);
}

#[test]
fn owner_that_lost_its_object_by_a_call_skips_no_later_change() {
    let (mut net, owner, other, id) = shown_again();
    net.client(other).calls::<Body>(id).cmd_take().unwrap();
    net.advance(FRAME);
    net.send(other);
    assert_eq!(net.server.owner(id), Some(other));
    net.frames(3);
    net.server.set_owner(id, Some(owner)).unwrap();
    net.bag(id).items.push(5);
    net.frames(3);
    assert_seen(&net, owner, id, &[1]);
}
