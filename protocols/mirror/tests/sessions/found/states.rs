//! What is written by hooks.

use syncvar::mirror::*;

use super::net::{FoundNetwork, Hands, Whole, network};

#[test]
fn a_hook_of_the_server_can_put_a_new_collection_into_its_place() {
    let mut net = network();
    let (me, player) = net.join_whole();
    let (other, _) = net.join_whole();
    net.frames(3);
    net.hands(player).replacement = Some(vec![1, 2]);
    net.client(me).get_mut::<Hands>(player).unwrap().grip.set(5);
    net.frames(3);
    let truth: &Hands = net.server.get(player).unwrap();
    assert_eq!(truth.held, [1, 2]);
    let hands: &Hands = net.seen(other, player);
    assert_eq!((*hands.grip, &hands.held[..]), (5, &[1, 2][..]));
}

#[test]
fn a_hook_of_an_owner_can_put_a_new_collection_into_its_place() {
    let mut net = network();
    let (other, _) = net.join_whole();
    let connection = net.enter();
    // This client puts something in when it is given its player.
    let whole = || {
        let mut whole = Whole::default();
        whole.2.replacement = Some(vec![1, 2]);
        whole
    };
    let prefab = MirrorPrefab::new("whole", AssetId(1001));
    let prefabs = MirrorPrefabs::new().register_with(prefab, whole);
    let mut client = MirrorClient::new(prefabs);
    client.handle_connect(Limits::TELEPATHY);
    net.clients.insert(connection, client);
    let mut whole = Whole::default();
    whole.2.grip = 7.into();
    let player = net.server.add_player(connection, whole).unwrap();
    net.frames(3);
    let truth: &Hands = net.server.get(player).unwrap();
    assert_eq!(truth.held, [1, 2]);
    let hands: &Hands = net.seen(other, player);
    assert_eq!((*hands.grip, &hands.held[..]), (7, &[1, 2][..]));
}
