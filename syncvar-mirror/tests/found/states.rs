//! What is written by hooks.

use super::net::{Hands, Net};

#[test]
fn a_hook_of_the_server_can_put_a_new_collection_into_its_place() {
    let mut net = Net::new();
    let (me, player) = net.join();
    let (other, _) = net.join();
    net.settle();
    net.hands(player).replacement = Some(vec![1, 2]);
    net.client(me).get_mut::<Hands>(player).unwrap().grip.set(5);
    net.settle();
    let truth: &Hands = net.server.get(player).unwrap();
    assert_eq!(truth.held, [1, 2]);
    let hands: &Hands = net.seen(other, player);
    assert_eq!((*hands.grip, &hands.held[..]), (5, &[1, 2][..]));
}
