//! When it runs, on which side, and what it costs.

use syncvar::join::Builds;
use syncvar::prelude::*;
use syncvar::{DisconnectReason, Framing, stats::MessageType};
use syncvar_testing::ClientMessages as _;

use super::settings::{DIALECTS, Plain, Settings, events, network, noted, settings};

// checklist: B7 B10 B11 B17 T54
#[test]
fn data_precedes_the_spawn_on_the_client() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = net.server.spawn(settings(7, "red"));
        assert_eq!(
            noted(),
            ["server spawns with 7 red"],
            "nothing is written yet"
        );
        net.settle();
        assert_eq!(
            noted(),
            [
                // After the server's spawn, which added 100, and once for both clients.
                "writes beside 5",
                "reads beside 5",
                "client spawns with 107 red",
                "reads beside 5",
                "client spawns with 107 red",
            ]
        );
        let replica = net.client(1).get::<Settings>(id).unwrap();
        assert_eq!((replica.number, &*replica.text), (107, "red"));
        assert_eq!(events(&mut net, 0), [ClientEvent::Spawned { object: id }]);
    }
}

// checklist: B8 B12 B13 B15
#[test]
fn data_is_written_for_joins_but_not_for_changes() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = net.server.spawn(settings(7, "red"));
        net.settle();
        noted();
        net.server.get_mut::<Settings>(id).unwrap().value.set(6);
        net.settle();
        assert_eq!(noted(), [""; 0], "a change is no reason");
        // What those who are connected were told by a call is in it for those who join.
        net.server.get_mut::<Settings>(id).unwrap().text = "blue".into();
        net.connect();
        net.settle();
        assert_eq!(
            noted(),
            [
                "writes beside 6",
                "reads beside 6",
                "client spawns with 107 blue"
            ]
        );
        assert_eq!(
            net.client(0).get::<Settings>(id).unwrap().text,
            "red",
            "not told again"
        );
    }
}

// checklist: B8
#[test]
fn data_is_written_when_shown_and_when_requested_again() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let connection = net.connection(0);
        let id = net.server.spawn(settings(7, "red"));
        net.server.hide(id, connection).unwrap();
        net.settle();
        noted();
        net.server.show(id, connection).unwrap();
        net.settle();
        assert_eq!(noted().len(), 3);
        net.server.get_mut::<Settings>(id).unwrap().number = 1;
        // UpdateVars #1: a mask with a bit of no field.
        net.client_mut(0)
            .handle_messages(0, &[2, 0, 8, 0, 1, 2])
            .unwrap();
        net.settle();
        assert_eq!(
            noted(),
            ["writes beside 5", "reads beside 5"],
            "and is not spawned again"
        );
        assert_eq!(net.client(0).get::<Settings>(id).unwrap().number, 1);
        assert!(events(&mut net, 0).contains(&ClientEvent::Restored { object: id }));
    }
}

// checklist: B24
#[test]
fn settings_are_right_before_during_and_after_the_spawn() {
    let mut net = network(Framing::Compact, 1);
    let mut before = settings(1, "");
    before.number = 2;
    let id = net.server.spawn(before); // adds 100 in its spawn
    net.server.get_mut::<Settings>(id).unwrap().text = "after".into();
    net.settle();
    let replica = net.client(0).get::<Settings>(id).unwrap();
    assert_eq!((replica.number, &*replica.text), (102, "after"));
}

// checklist: B9 B22
#[test]
fn data_costs_its_bytes_for_objects_that_have_it() {
    for dialect in DIALECTS {
        let of = |count: u32, length: usize| {
            cost(dialect, |server| {
                for _ in 0..count {
                    server.spawn(settings(0, &"x".repeat(length)));
                }
            })
        };
        // In one packet, whatever the length: no header of a batch is longer for it.
        assert_eq!(of(1, 101) - of(1, 100), 1);
        assert_eq!(of(8, 110) - of(8, 100), 80);
        let mut net = network(dialect, 1);
        net.server.spawn(Plain::default());
        net.settle();
        let (message_type, bytes) = match dialect {
            Framing::Unet => (MessageType::ObjectSpawn, 4 + 1 + 16 + 12 + 2 + 1 + 16),
            Framing::Compact => (MessageType::SpawnBatch, 4 + 1 + 1 + 1),
        };
        let encoded = net.server.stats().encoded(message_type);
        assert_eq!(encoded.bytes, bytes, "the field and no more");
        assert_eq!(noted().len(), 0);
    }

    /// The bytes that an object takes when a client joins.
    fn cost(dialect: Framing, spawn: impl Fn(&mut NetworkServer)) -> u64 {
        let mut net = network(dialect, 0);
        let bytes = |net: &MemoryNetwork| net.server.stats().sent.bytes;
        spawn(&mut net.server);
        net.connect();
        net.settle();
        bytes(&net)
    }
}

// checklist: B22
#[test]
fn statistics_count_it_as_full_state_of_the_behaviour() {
    let mut net = network(Framing::Compact, 1);
    net.server.spawn(settings(7, "red"));
    net.settle();
    let stats = &net.server.stats().behaviours[0];
    assert_eq!((stats.full.messages, stats.full.bytes), (1, 1 + 1 + 1 + 4));
}

#[test]
fn schemas_that_disagree_about_data_are_refused() {
    #[derive(NetworkBehaviour, Default)]
    struct Settings {
        #[sync_var]
        value: SyncVar<i32>,
    }
    let mut net = network(Framing::Compact, 0);
    let prefabs = super::settings::prefabs;
    let without = Prefabs::new().register::<Settings>("settings");
    assert_ne!(without.schema_hash(), prefabs().schema_hash());
    let without = without
        .register::<(Plain, super::settings::Faulty, super::settings::Settings)>("faulty")
        .register::<Plain>("plain");
    let config = ClientConfig {
        builds: Builds::Exact,
        ..ClientConfig::default()
    };
    let client = net.connect_client(NetworkClient::with_config(without, config));
    net.settle();
    let told = events(&mut net, client);
    let [
        ClientEvent::Refused {
            reason: DisconnectReason::SchemaMismatch(Some(report)),
        },
    ] = &told[..]
    else {
        panic!("{told:?}");
    };
    assert_eq!(
        report.to_string(),
        "prefab `settings`, behaviour `Settings`: its place or its rules differ, and those of the server apply"
    );
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(synchronize)]
struct Creature {
    kind: u8,
}

impl Synchronize for Creature {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        serializer.serialize_value(&mut self.kind)
    }
}

/// Has what its base has.
#[derive(NetworkBehaviour, Default)]
struct Orc {
    #[network_behaviour(base)]
    base: Creature,
    #[sync_var]
    rage: SyncVar<i32>,
}

/// Has more, and calls its base.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(synchronize)]
struct Boss {
    #[network_behaviour(base)]
    base: Creature,
    title: String,
}

impl Synchronize for Boss {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        self.base.on_synchronize(serializer)?;
        serializer.serialize_value(&mut self.title)
    }
}

// checklist: B16
#[test]
fn one_function_for_both_directions_and_a_class_calls_its_base() {
    let mut net = MemoryNetwork::pair(|| {
        Prefabs::new()
            .register::<Orc>("orc")
            .register::<Boss>("boss")
    });
    let orc = net.server.spawn(Orc {
        base: Creature { kind: 3 },
        rage: 1.into(),
    });
    let boss = net.server.spawn(Boss {
        base: Creature { kind: 4 },
        title: "Zog".into(),
    });
    net.settle();
    let orc = net.client(0).get::<Orc>(orc).unwrap();
    assert_eq!((orc.base.kind, *orc.rage), (3, 1));
    let boss = net.client(0).get::<Boss>(boss).unwrap();
    assert_eq!((boss.base.kind, &*boss.title), (4, "Zog"));
}

#[test]
fn a_field_that_is_written_to_meanwhile_follows_as_a_change() {
    /// Writes to its own field while it is being written: too late for the full state.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(synchronize, send_interval = 0)]
    struct Counting {
        #[sync_var]
        sent: SyncVar<i32>,
    }

    impl Synchronize for Counting {
        fn on_synchronize(
            &mut self,
            serializer: &mut BufferSerializer<'_, '_>,
        ) -> Result<(), SynchronizeError> {
            if serializer.is_writer() {
                self.sent += 1;
            }
            Ok(())
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Counting>("counting"));
    let id = net.server.spawn(Counting::default());
    net.settle();
    net.connect();
    net.settle();
    for client in 0..2 {
        assert_eq!(*net.client(client).get::<Counting>(id).unwrap().sent, 2);
    }
}
