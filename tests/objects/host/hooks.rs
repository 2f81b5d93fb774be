//! M4: hooks on a host.

use std::time::Duration;

use syncvar::Channel;
use syncvar::prelude::*;

use super::{hooks, hosted, told};
use syncvar_testing::{Player, change, states};

/// M4, lesson 5: once, with the value before the first of several writes.
#[test]
fn hook_runs_once_per_update_with_the_previous_value() {
    let (mut net, _) = hosted(1);
    let id = net.server.spawn(Player::new(100, "Ann"));
    net.settle();
    change(&mut net, id, |player| player.health -= 10);
    change(&mut net, id, |player| {
        player.health -= 20;
        player.health -= 30;
    });
    assert_eq!(
        hooks(&mut net, id),
        [""; 0],
        "with the update, and not before"
    );
    net.settle();
    assert_eq!(hooks(&mut net, id), ["health 100 -> 40 (Ann, 0)"]);
    assert_eq!(
        syncvar_testing::hooks(&mut net, 0, id),
        ["health 100 -> 40 (Ann, 0)"]
    );
    net.settle();
    assert_eq!(hooks(&mut net, id), [""; 0]);
}

/// M4: without any other client, and with one from whom the object is hidden.
#[test]
fn hooks_run_without_remote_observers() {
    for clients in 0..2 {
        let (mut net, local) = hosted(clients);
        let id = net.server.spawn(Player::new(100, "Ann"));
        net.server.hide_from_all(id).unwrap();
        net.server.show(id, local).unwrap();
        net.settle();
        for health in [90, 80] {
            change(&mut net, id, |player| player.health.set(health));
            net.settle();
            let expected = format!("health {} -> {health} (Ann, 0)", health + 10);
            assert_eq!(hooks(&mut net, id), [expected]);
        }
    }
}

// checklist: M4
#[test]
fn hooks_need_a_local_client_that_observes_the_object() {
    let mut net = syncvar_testing::network(1);
    let id = net.server.spawn(Player::new(100, "Ann"));
    net.settle();
    change(&mut net, id, |player| player.health.set(1));
    let local = net.server.connect_local();
    net.settle();
    change(&mut net, id, |player| player.health.set(2));
    net.server.hide(id, local).unwrap();
    net.settle();
    assert_eq!(
        hooks(&mut net, id),
        [""; 0],
        "what has not been told before it is hidden is not told"
    );
    change(&mut net, id, |player| player.health.set(3));
    net.settle();
    net.server.disconnect(local, "");
    change(&mut net, id, |player| player.health.set(4));
    net.settle();
    assert_eq!(hooks(&mut net, id), [""; 0]);
    assert_eq!(states(&net, id), [Some((4, "Ann".into(), 0))]);
}

/// U5 on a host: not for what an object is when it is met.
// checklist: M4
#[test]
fn spawn_and_show_run_no_hooks() {
    let (mut net, local) = hosted(1);
    let id = net.server.spawn(Player::new(100, "Ann"));
    change(&mut net, id, |player| player.health.set(55));
    net.settle();
    net.server.hide(id, local).unwrap();
    net.settle();
    change(&mut net, id, |player| player.health.set(44));
    net.server.show(id, local).unwrap();
    change(&mut net, id, |player| player.health.set(33));
    net.settle();
    assert_eq!(hooks(&mut net, id), [""; 0]);
    change(&mut net, id, |player| player.health.set(22));
    net.settle();
    assert_eq!(hooks(&mut net, id), ["health 33 -> 22 (Ann, 0)"]);
}

/// Lesson 5: a value that is what it was gives no hook, though it is sent.
// checklist: M4
#[test]
fn no_hook_runs_for_a_value_that_is_the_same_again() {
    let (mut net, _) = hosted(1);
    let id = net.server.spawn(Player::new(100, "Ann"));
    net.settle();
    told(&mut net);
    syncvar_testing::drain(&mut net, 0);
    change(&mut net, id, |player| player.health.set(1));
    change(&mut net, id, |player| player.health.set(100));
    net.settle();
    assert_eq!(hooks(&mut net, id), [""; 0]);
    assert_eq!(syncvar_testing::hooks(&mut net, 0, id), [""; 0]);
    assert_eq!(
        told(&mut net),
        syncvar_testing::drain(&mut net, 0),
        "both are told that it was written"
    );
}

/// Lesson 2 on a host.
// checklist: M4
#[test]
fn hooks_run_in_declaration_order_and_see_all_fields_new() {
    let (mut net, _) = hosted(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    change(&mut net, id, |player| {
        player.score.set(7);
        player.name.set("b".into());
        player.health.set(2);
    });
    net.settle();
    let expected = ["health 1 -> 2 (b, 7)", "name a -> b (2)"];
    assert_eq!(hooks(&mut net, id), expected);
    assert_eq!(syncvar_testing::hooks(&mut net, 0, id), expected);
}

/// What has taken the place of a behaviour is compared with what was there.
// checklist: M4
#[test]
fn a_behaviour_that_was_replaced_is_one_that_has_changed() {
    let (mut net, _) = hosted(1);
    let id = net.server.spawn(Player::new(1, "a"));
    net.settle();
    change(&mut net, id, |player| *player = Player::new(1, "b"));
    net.settle();
    assert_eq!(hooks(&mut net, id), ["name a -> b (1)"]);
    assert_eq!(syncvar_testing::hooks(&mut net, 0, id), ["name a -> b (1)"]);
}

/// A field whose hook writes to it, and to another one.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Boiler {
    #[sync_var(hook = on_heat)]
    heat: SyncVar<i32>,
    #[sync_var(hook = on_valve)]
    valve: SyncVar<bool>,
    #[sync_var]
    warnings: SyncVar<u32>,
    log: Vec<String>,
}

impl Boiler {
    fn on_heat(&mut self, previous: i32) {
        let now = *self.heat;
        self.log.push(format!("heat {previous} -> {now}"));
        if now > 100 {
            self.heat.set(100);
            self.valve.set(true);
            self.warnings += 1;
        }
    }

    fn on_valve(&mut self, previous: bool) {
        self.log.push(format!("valve {previous} -> {}", self.valve));
    }
}

/// Counts for ever.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Spinner {
    #[sync_var(hook = on_turn)]
    turns: SyncVar<u32>,
}

impl Spinner {
    fn on_turn(&mut self, _: u32) {
        self.turns += 1;
    }
}

/// Panics once.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Bomb {
    #[sync_var(hook = on_fuse)]
    fuse: SyncVar<u32>,
    exploded: bool,
}

impl Bomb {
    fn on_fuse(&mut self, _: u32) {
        assert!(std::mem::replace(&mut self.exploded, true), "bang");
    }
}

/// Sent twice a second.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.5)]
struct Slow {
    #[sync_var(hook = on_value)]
    value: SyncVar<u32>,
    #[sync_var]
    other: SyncVar<u32>,
    log: Vec<(u32, u32)>,
}

impl Slow {
    fn on_value(&mut self, previous: u32) {
        self.log.push((previous, *self.value));
    }
}

fn prefabs() -> Prefabs {
    syncvar_testing::prefabs()
        .register::<Boiler>("boiler")
        .register::<Spinner>("spinner")
        .register::<Bomb>("bomb")
        .register::<Slow>("slow")
}

fn special() -> MemoryNetwork {
    let mut net = MemoryNetwork::pair(prefabs);
    net.server.connect_local();
    net.settle();
    net
}

/// Lesson 6.
#[test]
fn a_hook_that_writes_to_its_own_field_comes_to_an_end() {
    let mut net = special();
    let id = net.server.spawn(Boiler::default());
    net.settle();
    told(&mut net);
    net.server.get_mut::<Boiler>(id).unwrap().heat.set(150);
    net.step();
    let boiler = net.server.get::<Boiler>(id).unwrap();
    assert_eq!(boiler.log, ["heat 0 -> 150"]);
    let replica = net.client(0).get::<Boiler>(id).unwrap();
    assert_eq!(
        (*replica.heat, *replica.valve, *replica.warnings),
        (100, true, 1),
        "what the hook has written is sent with the same update"
    );
    net.settle();
    let boiler = net.server.get::<Boiler>(id).unwrap();
    let expected = ["heat 0 -> 150", "heat 150 -> 100", "valve false -> true"];
    assert_eq!(boiler.log, expected, "and counts for the next one");
    let events: Vec<_> = told(&mut net);
    let named: Vec<_> = events.iter().map(super::fields).collect();
    assert_eq!(
        named,
        [vec!["heat", "valve", "warnings"], vec!["heat", "valve"]]
    );
}

// Lesson 6.
#[test]
fn one_that_never_ends_runs_once_with_each_update() {
    let mut net = special();
    let id = net.server.spawn(Spinner::default());
    net.settle();
    net.server.get_mut::<Spinner>(id).unwrap().turns.set(1);
    for turns in 2..10 {
        net.step();
        assert_eq!(net.server.get::<Spinner>(id).unwrap().turns, turns);
    }
}

/// Lesson 4: what a hook does not finish is not the end of the others, nor of the update.
#[test]
fn panicking_hook_is_reported_and_the_others_run() {
    let mut net = special();
    let bomb = net.server.spawn(Bomb::default());
    let player = net.server.spawn(Player::new(1, "a"));
    net.settle();
    net.server.get_mut::<Bomb>(bomb).unwrap().fuse.set(1);
    change(&mut net, player, |player| player.health.set(2));
    told(&mut net);
    net.step();
    assert_eq!(hooks(&mut net, player), ["health 1 -> 2 (a, 0)"]);
    net.settle();
    assert_eq!(states(&net, player), [Some((2, "a".into(), 0))]);
    assert_eq!(*net.client(0).get::<Bomb>(bomb).unwrap().fuse, 1);
    let failed: Vec<_> = told(&mut net)
        .into_iter()
        .filter_map(|event| match event {
            ClientEvent::HookFailed(failure) => Some(*failure),
            _ => None,
        })
        .collect();
    let [failure] = &failed[..] else {
        panic!("{failed:?}");
    };
    assert_eq!((failure.object, &*failure.message), (bomb, "bang"));
    assert!(failure.fields.names().eq(["fuse"]));
    net.server.get_mut::<Bomb>(bomb).unwrap().fuse.set(2);
    net.settle();
    assert_eq!(told(&mut net).len(), 1, "and it goes on");
}

/// The local client has the value at once, and its hooks do not wait for others.
// checklist: M4
#[test]
fn hooks_of_a_host_do_not_wait_for_the_send_interval() {
    let mut net = special();
    net.tick = Duration::from_millis(100);
    let id = net.server.spawn(Slow::default());
    net.settle();
    // More than the interval passes before the first change, and it is sent at once.
    net.server.get_mut::<Slow>(id).unwrap().value.set(1);
    net.settle();
    for value in 2..=4 {
        net.server.get_mut::<Slow>(id).unwrap().value.set(value);
        net.step();
    }
    let log = &net.server.get::<Slow>(id).unwrap().log;
    assert_eq!(*log, [(0, 1), (1, 2), (2, 3), (3, 4)]);
    net.settle();
    assert_eq!(net.client(0).get::<Slow>(id).unwrap().log, [(0, 1), (1, 4)]);
    assert_eq!(net.server.get::<Slow>(id).unwrap().log.len(), 4);
}

/// A field without a hook that waits is named again when its behaviour is lent again; one with a hook is
/// told of once.
#[test]
fn deferred_changes_run_hooks_when_made() {
    let mut net = special();
    net.tick = Duration::from_millis(100);
    let id = net.server.spawn(Slow::default());
    net.settle();
    net.server.get_mut::<Slow>(id).unwrap().value.set(1);
    net.settle();
    told(&mut net);
    net.server.get_mut::<Slow>(id).unwrap().other.set(1);
    net.step();
    assert_eq!(
        told(&mut net).iter().map(super::fields).collect::<Vec<_>>(),
        [["other"]]
    );
    net.step();
    assert!(told(&mut net).is_empty());
    net.settle();
    assert!(told(&mut net).is_empty(), "nor when it is sent");
    assert_eq!(net.client(0).get::<Slow>(id).unwrap().other, 1);
}

/// A value on a channel that the server does not have is never sent; the host sees it.
// checklist: M4
#[test]
fn hooks_run_for_unwritable_values() {
    /// On a channel of its own.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(channel = 9)]
    struct Far {
        #[sync_var(hook = on_value)]
        value: SyncVar<u32>,
        log: Vec<u32>,
    }

    impl Far {
        fn on_value(&mut self, previous: u32) {
            self.log.push(previous);
        }
    }

    let config = ServerConfig {
        channels: vec![Channel::Reliable],
        ..ServerConfig::default()
    };
    let prefabs = || Prefabs::new().register::<Far>("far");
    let mut server = NetworkServer::with_config(prefabs(), config);
    server.connect_local();
    let id = server.spawn(Far::default());
    server.update(Duration::from_millis(1));
    server.get_mut::<Far>(id).unwrap().value.set(5);
    server.update(Duration::from_millis(2));
    server.update(Duration::from_millis(3));
    assert_eq!(server.get::<Far>(id).unwrap().log, [0]);
}
