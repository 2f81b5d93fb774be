//! Fields that are moved out of an object, and return after a send.

use std::mem::swap;

use super::net::{Body, FoundNetwork, Whole, network};

#[test]
fn fields_put_back_after_a_send_arrive() {
    let mut net = network();
    let (me, _) = net.join_whole();
    let cart = net.server.spawn(Whole::default());
    net.frames(3);
    let mut aside = Body::default();
    *aside.health = 9;
    aside.effects.push(9);
    aside.tags.insert(9);
    aside.names.insert(9, "nine".into());
    for round in 0..6 {
        let mut body = net.body(cart);
        swap(&mut body.health, &mut aside.health);
        swap(&mut body.effects, &mut aside.effects);
        swap(&mut body.tags, &mut aside.tags);
        swap(&mut body.names, &mut aside.names);
        drop(body);
        net.frames(3);
        let seen: &Body = net.seen(me, cart);
        let truth: &Body = net.server.get(cart).unwrap();
        assert_eq!(seen.health, if round % 2 == 0 { 9 } else { 0 });
        assert_eq!(seen.health, truth.health);
        assert_eq!(seen.effects, truth.effects);
        assert_eq!(seen.tags, truth.tags);
        assert_eq!(seen.names, truth.names);
        net.body(cart).effects.push(round);
    }
}
