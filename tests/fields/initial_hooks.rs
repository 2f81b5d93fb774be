//! `initial_hook`: hooks that are told of what an object is like when it is met.

use syncvar::prelude::*;
use syncvar::{Framing, codec::Half};
use syncvar_testing::client;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Fixture {
    #[sync_var(hook = on_height, initial_hook, with = Half)]
    height: SyncVar<f32>,
    #[sync_var(hook = on_weight)]
    weight: SyncVar<u32>,
    log: Vec<String>,
}

impl Fixture {
    fn on_height(&mut self, previous: f32) {
        self.log.push(format!(
            "height {previous} -> {} at {}",
            self.height, self.weight
        ));
    }

    fn on_weight(&mut self, previous: u32) {
        self.log
            .push(format!("weight {previous} -> {}", self.weight));
    }
}

#[derive(NetworkBehaviour)]
#[network_behaviour(send_interval = 0)]
struct Lamp {
    #[network_behaviour(base)]
    base: Fixture,
    #[sync_var(hook = on_lit, initial_hook)]
    lit: SyncVar<bool>,
    #[sync_var(hook = on_colour)]
    colour: SyncVar<u32>,
    #[sync_var(hook = on_flies, initial_hook)]
    flies: SyncList<u8>,
    /// How often it was switched, which its hook counts.
    #[sync_var]
    switched: SyncVar<u32>,
}

/// A lamp is lit as its prefab makes it.
impl Default for Lamp {
    fn default() -> Self {
        Self {
            base: Fixture::default(),
            lit: true.into(),
            colour: SyncVar::default(),
            flies: SyncList::default(),
            switched: SyncVar::default(),
        }
    }
}

impl Lamp {
    fn on_lit(&mut self, previous: bool) {
        self.switched += 1;
        let line = format!("lit {previous} -> {}", self.lit);
        self.base.log.push(line);
    }

    fn on_colour(&mut self, previous: u32) {
        self.base
            .log
            .push(format!("colour {previous} -> {}", self.colour));
    }

    fn on_flies(&mut self, change: &ListChange<u8>) {
        self.base.log.push(format!("{change:?}"));
    }
}

/// Nothing of its own.
#[derive(NetworkBehaviour, Default)]
struct Lantern {
    #[network_behaviour(base)]
    lamp: Lamp,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Lamp>("lamp")
        .register::<(Fixture, Lantern)>("post")
}

fn dark() -> Lamp {
    let mut lamp = Lamp {
        lit: false.into(),
        colour: 7.into(),
        ..Lamp::default()
    };
    lamp.base.height = 2.0.into();
    lamp.base.weight = 3.into();
    lamp.flies.push(5);
    lamp
}

const MET: [&str; 3] = [
    "height 0 -> 2 at 3",
    "lit true -> false",
    "Add { index: 0, value: 5 }",
];

/// N5, lesson 1: one method for the start and for changes.
#[test]
fn initial_hook_runs_for_the_state_of_a_spawn() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.connect_client(client(prefabs(), Framing::Unet));
    net.settle();
    let id = net.server.spawn(dark());
    net.settle();
    let late = net.connect();
    net.settle();
    for client in [0, 1, late] {
        let mut lamp = net.client_mut(client).get_mut::<Lamp>(id).unwrap();
        assert_eq!(std::mem::take(&mut lamp.base.log), MET);
    }
    assert_eq!(net.server.get::<Lamp>(id).unwrap().base.log, [""; 0]);
    net.server.get_mut::<Lamp>(id).unwrap().lit.set(true);
    net.settle();
    assert_eq!(
        net.client(0).get::<Lamp>(id).unwrap().base.log,
        ["lit false -> true"]
    );
}

// Lesson 1.
#[test]
fn initial_hook_skips_values_of_the_prefab() {
    let mut net = MemoryNetwork::pair(prefabs);
    let id = net.server.spawn(Lamp {
        colour: 9.into(),
        ..Lamp::default()
    });
    net.settle();
    assert_eq!(net.client(0).get::<Lamp>(id).unwrap().base.log, [""; 0]);
}

// Lesson 1.
#[test]
fn initial_hook_runs_for_bases_and_all_behaviours() {
    let mut net = MemoryNetwork::pair(prefabs);
    let fixture = Fixture {
        height: 4.0.into(),
        ..Fixture::default()
    };
    let id = net.server.spawn((fixture, Lantern { lamp: dark() }));
    net.settle();
    assert_eq!(
        net.client(0).get::<Fixture>(id).unwrap().log,
        ["height 0 -> 4 at 0"]
    );
    assert_eq!(net.client(0).get::<Lantern>(id).unwrap().lamp.base.log, MET);
}

// Lesson 1.
#[test]
fn initial_hook_runs_again_when_shown_but_not_when_restored() {
    let mut net = MemoryNetwork::pair(prefabs);
    let id = net.server.spawn(dark());
    net.settle();
    let connection = net.connection(0);
    net.server.hide(id, connection).unwrap();
    net.settle();
    net.server.show(id, connection).unwrap();
    net.settle();
    let mut lamp = net.client_mut(0).get_mut::<Lamp>(id).unwrap();
    assert_eq!(std::mem::take(&mut lamp.base.log), MET, "it is a new one");
    drop(lamp);
    net.server.set_not_ready(connection);
    net.settle();
    net.client_mut(0).ready();
    net.settle();
    let events: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
    assert!(
        events.contains(&ClientEvent::Restored { object: id }),
        "{events:?}"
    );
    assert_eq!(net.client(0).get::<Lamp>(id).unwrap().base.log, [""; 0]);
}

/// A hook that writes does so before the application is told.
// Lesson 1.
#[test]
fn initial_hook_runs_before_the_spawn_event() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let id = net.server.spawn(dark());
    net.settle();
    let events: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
    assert_eq!(events.last(), Some(&ClientEvent::Spawned { object: id }));
    assert_eq!(net.client(0).get::<Lamp>(id).unwrap().switched, 1);
}

// checklist: M4
// Lesson 1.
#[test]
fn host_runs_initial_hooks_for_its_local_client() {
    let mut net = MemoryNetwork::pair(prefabs);
    let local = net.server.connect_local();
    net.settle();
    while net.server.poll_local_event().is_some() {}
    let id = net.server.spawn(dark());
    net.settle();
    let met = net.server.get::<Lamp>(id).unwrap();
    assert_eq!(met.base.log, MET);
    let told: Vec<_> = std::iter::from_fn(|| net.server.poll_local_event()).collect();
    assert_eq!(told, [ClientEvent::Spawned { object: id }]);
    assert_eq!(net.server.get::<Lamp>(id).unwrap().switched, 1);
    let events: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
    let Some(ClientEvent::Changed { fields, .. }) = events.last() else {
        panic!("{events:?}");
    };
    let names: Vec<_> = fields.names().collect();
    assert_eq!(names, ["switched"], "what the hook has written is sent");

    net.server.get_mut::<Lamp>(id).unwrap().base.log.clear();
    net.server.hide(id, local).unwrap();
    net.settle();
    net.server.get_mut::<Lamp>(id).unwrap().lit.set(true);
    net.server.show(id, local).unwrap();
    net.settle();
    let expected = ["height 0 -> 2 at 3", "Add { index: 0, value: 5 }"];
    assert_eq!(net.server.get::<Lamp>(id).unwrap().base.log, expected);
}

#[test]
fn initial_hook_of_the_struct_holds_for_all_hooks() {
    /// All hooks run for the first state.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(initial_hook)]
    struct Gate {
        #[sync_var(hook = on_change)]
        open: SyncVar<bool>,
        #[sync_var(hook = on_change)]
        locked: SyncVar<bool>,
        #[sync_var]
        width: SyncVar<u8>,
        changes: u32,
    }

    impl Gate {
        fn on_change(&mut self, _previous: bool) {
            self.changes += 1;
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Gate>("gate"));
    let gate = |open: bool| Gate {
        open: open.into(),
        locked: true.into(),
        width: 3.into(),
        changes: 0,
    };
    let ids = [true, false].map(|open| net.server.spawn(gate(open)));
    net.settle();
    let changes = ids.map(|id| net.client(0).get::<Gate>(id).unwrap().changes);
    assert_eq!(changes, [2, 1]);
}
