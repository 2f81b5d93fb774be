//! The names of fields, and what is counted.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::stats::{BehaviourStats, Counter, MessageType, Stats};

use syncvar_testing::{Door, Player, change, drain, network};

/// T34: a variable is called as its field is, where a program is told of it; and what was sent of a
/// behaviour is counted under its name, with how often and how much.
#[test]
fn variables_are_counted_by_their_field_names() {
    let names: Vec<_> = Player::SCHEMA.field_names(u64::MAX).collect();
    assert_eq!(names, ["health", "name", "score"]);

    let mut net = network(2);
    let id = net.server.spawn((Door::default(), Player::new(1, "Ann")));
    net.settle();
    for client in 0..2 {
        drain(&mut net, client);
    }
    let updates = |stats: &Stats| stats.decoded(MessageType::UpdateBatch).messages;
    let before = net.server.stats().clone();
    let received = updates(net.client(0).stats());
    for health in 2..5 {
        change(&mut net, id, |player| player.health.set(health));
        net.settle();
    }
    for client in 0..2 {
        for event in drain(&mut net, client) {
            let ClientEvent::Changed { fields, .. } = event else {
                panic!("{event:?}");
            };
            assert_eq!(format!("{fields:?}"), "Player {\"health\"}");
        }
    }
    let after = net.server.stats();
    // A mask and a number, three times; written once for both clients.
    assert_eq!(deltas(&before, after, "Player"), (3, 3 * 2));
    // A zero for the sibling that is clean.
    assert_eq!(deltas(&before, after, "Door").1, 3);
    assert_eq!(updates(net.client(0).stats()) - received, 3);

    /// How many changes of a behaviour there have been since, and of how many bytes.
    fn deltas(before: &Stats, after: &Stats, name: &str) -> (u64, u64) {
        let of = |stats: &Stats| {
            let is_it =
                |stats: &&BehaviourStats| stats.behaviour == name && stats.prefab == "gatekeeper";
            let found = stats.behaviours.iter().find(is_it);
            found.map_or(Counter::default(), |stats| stats.delta)
        };
        let (before, after) = (of(before), of(after));
        (after.messages - before.messages, after.bytes - before.bytes)
    }
}
