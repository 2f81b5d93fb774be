//! Limits of an owner's writes and of commands: work and memory.

use syncvar::calls::CommandRefusal;
use syncvar::prelude::*;
use syncvar::testing::Link;
use syncvar::values::FixedString4096;
use syncvar::{Framing, ServerConfig};

const FRAMINGS: [Framing; 2] = [Framing::Compact, Framing::Unet];

/// A chest that its owner fills.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Chest {
    #[sync_var(write = owner)]
    coins: SyncList<u32>,
    #[sync_var(write = owner)]
    notes: SyncList<FixedString4096>,
    #[sync_var(write = owner)]
    label: SyncVar<String>,
    heard: usize,
}

#[network_calls]
impl Chest {
    #[command]
    fn read_out(&mut self, notes: Vec<FixedString4096>) {
        self.heard += notes.len();
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Chest>("chest")
}

/// A server with a chest of this many coins, its owner, and an observer.
fn network(config: ServerConfig, coins: u32) -> (MemoryNetwork, NetId) {
    let mut net = MemoryNetwork::with_config(prefabs, config, Link::default());
    net.connect();
    net.connect();
    net.settle();
    let options = SpawnOptions {
        owner: Some(net.connection(0)),
        ..SpawnOptions::default()
    };
    let chest = Chest {
        coins: (0..coins).collect(),
        ..Chest::default()
    };
    let id = net.server.spawn_with(chest, options).unwrap();
    net.settle();
    while net.server.poll_event().is_some() {}
    (net, id)
}

fn config(framing: Framing) -> ServerConfig {
    let mut config = ServerConfig::default();
    config.framing = framing;
    config
}

/// Changes the owner's chest, and lets the network settle.
fn write(net: &mut MemoryNetwork, id: NetId, change: impl FnOnce(&mut Chest)) {
    let mut chest = net.client_mut(0).get_mut::<Chest>(id).unwrap();
    change(&mut chest);
    drop(chest);
    net.settle();
}

/// Returns the errors that the server has reported.
fn misbehaviour(net: &mut MemoryNetwork) -> Vec<String> {
    let events = std::iter::from_fn(|| net.server.poll_event());
    let errors = events.filter_map(|event| match event {
        ServerEvent::Misbehaved { error, .. } => Some(error.to_string()),
        _ => None,
    });
    errors.collect()
}

/// All ends have the same chest.
fn is_equal(net: &MemoryNetwork, id: NetId) -> bool {
    let state = |chest: &Chest| (chest.coins.to_vec(), chest.notes.to_vec());
    let server = state(net.server.get(id).unwrap());
    (0..2).all(|client| state(net.client(client).get(id).unwrap()) == server)
}

#[test]
fn owner_write_beyond_the_work_is_undone_as_a_whole() {
    for framing in FRAMINGS {
        let mut config = config(framing);
        // A save of 5 000 coins takes about 90 000.
        config.limits.max_work = 400_000;
        let (mut net, id) = network(config, 5_000);
        write(&mut net, id, |chest| {
            chest.label.set("both or none".into());
            for index in 0..200 {
                chest.coins.insert(index, 7);
                chest.coins.insert(2_500, 7);
            }
        });
        let errors = misbehaviour(&mut net);
        assert!(
            matches!(&errors[..], [error] if error.contains("max_work")),
            "{errors:?}"
        );
        let chest = net.server.get::<Chest>(id).unwrap();
        assert_eq!((chest.coins.len(), &**chest.label), (5_000, ""));
        assert_eq!(net.server.stats().ignored_writes, 1);
        assert!(is_equal(&net, id), "the owner is corrected");
        // Half of the work, and the connection is heard.
        write(&mut net, id, |chest| {
            for index in 0..4 {
                chest.coins.insert(index, 7);
                chest.coins.insert(2_500, 7);
            }
        });
        assert!(misbehaviour(&mut net).is_empty());
        assert_eq!(net.server.get::<Chest>(id).unwrap().coins.len(), 5_008);
        assert!(is_equal(&net, id));
    }
}

#[test]
fn state_that_is_too_large_to_save_refuses_writes() {
    for framing in FRAMINGS {
        let mut config = config(framing);
        config.limits.max_work = 50_000;
        let (mut net, id) = network(config, 5_000);
        for _ in 0..3 {
            write(&mut net, id, |chest| chest.label = "x".into());
            let errors = misbehaviour(&mut net);
            assert!(
                matches!(&errors[..], [error] if error.contains("max_work")),
                "{errors:?}"
            );
        }
        // The server makes it smaller.
        net.server.get_mut::<Chest>(id).unwrap().heard += 1;
        net.server.set_owner(id, None);
        net.server
            .get_mut::<Chest>(id)
            .unwrap()
            .coins
            .truncate(1_000);
        net.server.set_owner(id, Some(net.connection(0)));
        net.settle();
        write(&mut net, id, |chest| chest.label = "x".into());
        assert_eq!(misbehaviour(&mut net), [""; 0]);
        assert!(&**net.server.get::<Chest>(id).unwrap().label == "x" && is_equal(&net, id));
    }
}

#[test]
fn memory_of_all_objects_of_an_owner_is_limited() {
    for framing in FRAMINGS {
        let mut config = config(framing);
        config.limits.max_owner_memory = 1 << 20;
        let (mut net, first) = network(config, 0);
        let options = SpawnOptions {
            owner: Some(net.connection(0)),
            ..SpawnOptions::default()
        };
        let second = net.server.spawn_with(Chest::default(), options).unwrap();
        net.settle();
        // One MiB holds 255 notes.
        let fill = |net: &mut MemoryNetwork, id, count| {
            write(net, id, |chest| {
                chest.notes.extend(vec![FixedString4096::new(); count]);
            });
        };
        fill(&mut net, first, 128);
        assert_eq!(misbehaviour(&mut net), [""; 0], "half of the limit");
        fill(&mut net, second, 100);
        assert_eq!(misbehaviour(&mut net), [""; 0]);
        fill(&mut net, second, 100);
        let errors = misbehaviour(&mut net);
        let expected = |error: &String| error.contains("max_owner_memory");
        assert!(
            !errors.is_empty() && errors.iter().all(expected),
            "{errors:?}"
        );
        assert_eq!(net.server.get::<Chest>(second).unwrap().notes.len(), 100);
        assert!(is_equal(&net, second));
        // Less is always possible, and another object makes room.
        write(&mut net, second, |chest| chest.notes.truncate(50));
        net.server.despawn(first);
        net.settle();
        fill(&mut net, second, 150);
        assert_eq!(misbehaviour(&mut net), [""; 0]);
        assert_eq!(net.server.get::<Chest>(second).unwrap().notes.len(), 200);
    }
}

/// The program's own state does not count: an owner may write next to it.
#[test]
fn state_of_the_program_does_not_count_as_the_owners() {
    for framing in FRAMINGS {
        let mut config = config(framing);
        config.limits.max_owner_memory = 10_000;
        let (mut net, id) = network(config, 5_000);
        write(&mut net, id, |chest| chest.coins.extend(0..500));
        write(&mut net, id, |chest| drop(chest.coins.drain(..1_000)));
        assert_eq!(misbehaviour(&mut net), [""; 0]);
        assert_eq!(net.server.get::<Chest>(id).unwrap().coins.len(), 4_500);
    }
}

#[test]
fn command_beyond_the_memory_is_refused() {
    for framing in FRAMINGS {
        let mut config = config(framing);
        config.limits.max_memory = 1 << 20;
        config.limits.memory_per_byte = 0;
        let (mut net, id) = network(config, 0);
        for count in [128, 512] {
            let notes = vec![FixedString4096::new(); count];
            let calls = net.client_mut(0).calls::<Chest>(id);
            calls.read_out(notes).unwrap();
            net.settle();
        }
        assert_eq!(net.server.get::<Chest>(id).unwrap().heard, 128);
        let refused = std::iter::from_fn(|| net.server.poll_event());
        let refused = refused.filter_map(|event| match event {
            ServerEvent::CommandRefused { reason, .. } => Some(reason),
            _ => None,
        });
        let refused: Vec<_> = refused.collect();
        let expected = matches!(
            &refused[..],
            [CommandRefusal::Malformed(error)] if error.to_string().contains("max_memory")
        );
        assert!(expected, "{refused:?}");
    }
}

/// A list of more elements than a `Unet` snapshot holds is saved and restored as well.
#[test]
fn refused_write_to_a_long_list_is_undone() {
    let mut config = config(Framing::Compact);
    config.limits.max_work = 4_000_000;
    config.limits.work_per_byte = 0;
    let (mut net, id) = network(config, 100_000);
    write(&mut net, id, |chest| {
        for index in 0..40 {
            chest.coins.insert(index, 7);
            chest.coins.insert(50_000, 7);
        }
    });
    assert_eq!(misbehaviour(&mut net).len(), 1);
    assert_eq!(net.server.get::<Chest>(id).unwrap().coins.len(), 100_000);
    assert!(is_equal(&net, id));
}
