//! Objects that move between two servers, notes in journals, and excerpts of recordings.

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar::interest::Tag;
use syncvar::prelude::*;
use syncvar::records::{RecordExcerpt, TickRecord};
use syncvar::saving::{Save, SaveError};
use syncvar::testing::Random;
use syncvar::{NetworkSceneId, ServerConfig, SpawnOptions};

const TICK: Duration = Duration::from_millis(33);

#[derive(NetworkBehaviour, Default)]
struct Chest {
    #[sync_var]
    open: SyncVar<bool>,
    #[sync_var(read = server)]
    seed: SyncVar<u64>,
    #[sync_var(read = owner)]
    code: SyncVar<u32>,
    #[sync_var]
    items: SyncList<u32>,
}

/// A list that is sent with every fifth tick.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.165)]
struct Trail {
    #[sync_var]
    steps: SyncList<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Chest>("chest")
        .register::<(Chest, Trail)>("walker")
}

fn server() -> NetworkServer {
    let config = ServerConfig {
        incarnation: 7,
        ..ServerConfig::default()
    };
    NetworkServer::with_config(prefabs(), config)
}

fn chest() -> Chest {
    Chest {
        open: true.into(),
        seed: 7.into(),
        code: 4711.into(),
        items: vec![1, 2, 3].into(),
    }
}

#[test]
fn an_object_moves_with_fields_group_scene_id_and_parent() {
    let (mut one, mut two) = (server(), server());
    let parent = one.spawn(chest());
    let options = SpawnOptions {
        scene_id: Some(NetworkSceneId(9)),
        ..SpawnOptions::default()
    };
    let child = one.try_spawn(chest(), options).unwrap();
    one.set_parent(child, Some(parent)).unwrap();
    one.set_group(child, Some(Tag(5))).unwrap();
    let state = one.export_objects(&[parent, child]).unwrap();
    let state = TickRecord::from_bytes(state.as_bytes()).unwrap();
    assert!(one.remove_silently(child) && one.remove_silently(parent));
    assert!(!one.remove_silently(parent));

    assert_eq!(
        two.import_objects(&state, |_| None),
        Ok(vec![parent, child])
    );
    let moved = two.get::<Chest>(child).unwrap();
    assert_eq!((*moved.open, *moved.seed, *moved.code), (true, 7, 4711));
    assert_eq!(&moved.items[..], [1, 2, 3]);
    assert_eq!(two.scene_object(NetworkSceneId(9)), Some(child));
    assert_eq!(two.ancestors(child).next(), Some(parent));
    assert_eq!(two.group(child), Some(Tag(5)));
}

#[test]
fn a_refused_state_leaves_the_server_unchanged() {
    let (mut one, mut two) = (server(), server());
    let chest = one.spawn(chest());
    let state = one.export_objects(&[chest]).unwrap();
    let taken = two.spawn(Chest::default());
    assert_eq!(taken, chest);
    let refused = two.import_objects(&state, |_| None);
    assert_eq!(refused, Err(SaveError::IdTaken(chest)));
    assert_eq!(*two.get::<Chest>(chest).unwrap().seed, 0);

    let mut other = NetworkServer::new(Prefabs::new().register::<Trail>("trail"));
    assert!(other.import_objects(&state, |_| None).is_err());
    assert_eq!(other.object_count(), 0);
    other.start_recording();
    other.update(TICK);
    let recorded = other.keyframe().unwrap().clone();
    let refused = other.import_objects(&recorded, |_| None);
    assert_eq!(refused, Err(SaveError::NoState));
}

#[test]
fn an_object_moves_to_the_connection_of_its_player_or_waits() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    let player = net.connection(0);
    net.server.set_player_key(player, "ann").unwrap();
    let mut one = server();
    let ann = one.spawn(chest());
    let bob = one.spawn(chest());
    one.give_to_player(ann, "ann").unwrap();
    one.give_to_player(bob, "bob").unwrap();
    assert_eq!(one.player_of(bob).unwrap(), "bob");
    let state = one.export_objects(&[ann, bob]).unwrap();
    net.server.import_objects(&state, |_| None).unwrap();
    for object in [ann, bob] {
        let key = one.player_of(object).unwrap();
        net.server.give_to_player(object, key).unwrap();
    }
    assert_eq!(net.server.owner(ann), Some(player));
    assert_eq!(net.server.owner(bob), None);
    assert_eq!(net.server.player_of(bob).unwrap(), "bob");
    net.settle();
    assert_eq!(*net.client(0).get::<Chest>(ann).unwrap().code, 4711);
    assert_eq!(*net.client(0).get::<Chest>(bob).unwrap().code, 0);
}

#[test]
fn notes_are_in_saves_and_in_the_records_of_journals() {
    let mut server = server();
    server.set_note("kept", "1");
    server.set_note("ended", "2");
    let mut save = server.start_journal().unwrap();
    server.set_note("ended", "");
    server.set_note("new", "3");
    server.update(TICK);
    while let Some(record) = server.poll_journal() {
        save.push(record).unwrap();
    }
    let mut loaded = self::server();
    loaded.load(&save).unwrap();
    let notes: Vec<_> = { loaded.notes() }
        .map(|(key, value)| [&key[..], &value[..]].concat())
        .collect();
    assert_eq!(notes, [b"kept1".to_vec(), b"new3".to_vec()]);
    let bytes = loaded.save().unwrap().to_bytes();
    let mut again = self::server();
    again.load(&Save::from_bytes(&bytes).unwrap()).unwrap();
    assert_eq!(again.note("new").unwrap(), "3");
}

#[test]
fn an_object_enters_an_excerpt_without_repeated_operations() {
    let mut server = server();
    // A long list, whose changes travel as operations.
    let steps: Vec<u32> = (1000..1100).collect();
    let trail = Trail {
        steps: steps.clone().into(),
    };
    let walker = server.spawn((chest(), trail));
    server.start_recording();
    server.update(TICK);
    let mut excerpt = RecordExcerpt::default();
    let mut client = NetworkClient::new(prefabs());
    client
        .handle_record(&excerpt.keyframe(&mut server))
        .unwrap();
    let chosen = BTreeSet::from([walker]);
    let (mut last, mut entered) = (1, Vec::new());
    for tick in 2..30_u32 {
        if tick < 20 {
            server.get_mut::<Trail>(walker).unwrap().steps.push(tick);
        }
        server.update(TICK * tick);
        for record in server.records_after(last).cloned().collect::<Vec<_>>() {
            last = record.seq();
            if let Some(part) = excerpt.record(&mut server, &record, &chosen) {
                client.handle_record(&part).unwrap();
            }
            let trail = client.get::<Trail>(walker);
            entered.extend(trail.map(|trail| trail.steps.len()));
        }
    }
    // The snapshot is within an interval: its operations are not repeated.
    let expected: Vec<u32> = steps.into_iter().chain(2..20).collect();
    assert_eq!(client.get::<Trail>(walker).unwrap().steps[..], expected);
    assert!(entered.is_sorted(), "{entered:?}");
}

/// Runs random changes of the objects and of their places in an excerpt, with lost records and keyframes.
fn run_excerpt(seed: u64) {
    let mut random = Random::new(seed);
    let mut server = server();
    let mut objects: Vec<NetId> = (0..6)
        .map(|_| server.spawn((chest(), Trail::default())))
        .collect();
    server.start_recording();
    server.update(TICK);
    let mut excerpt = RecordExcerpt::default();
    let mut client = NetworkClient::new(prefabs());
    client
        .handle_record(&excerpt.keyframe(&mut server))
        .unwrap();
    let (mut chosen, mut last, mut wants_keyframe) = (BTreeSet::new(), 1, false);
    for tick in 2..200_u32 {
        let is_quiet = tick > 180;
        let object = *random.pick(&objects).unwrap();
        if !is_quiet {
            let mut trail = server.get_mut::<Trail>(object).unwrap();
            trail.steps.push(tick);
            drop(trail);
            match random.below(8) {
                0 | 1 => drop(chosen.insert(object)),
                2 => drop(chosen.remove(&object)),
                3 => server.get_mut::<Chest>(object).unwrap().seed += 1,
                4 => server.get_mut::<Chest>(object).unwrap().items.push(tick),
                5 if tick % 7 == 0 => {
                    server.despawn(object).unwrap();
                    objects.retain(|it| *it != object);
                    let new = server.spawn((chest(), Trail::default()));
                    objects.push(new);
                    chosen.insert(new);
                }
                _ => {}
            }
        }
        if wants_keyframe {
            server.request_keyframe();
        }
        server.update(TICK * tick);
        let records: Vec<_> = server.records_after(last).cloned().collect();
        for record in records.iter().filter(|record| !record.is_keyframe()) {
            last = record.seq();
            let Some(part) = excerpt.record(&mut server, record, &chosen) else {
                continue;
            };
            if is_quiet || random.below(10) > 0 {
                // A gap ends with the next keyframe.
                wants_keyframe |= client.handle_record(&part).is_err();
            } else {
                wants_keyframe = true;
            }
        }
        if wants_keyframe && records.iter().any(TickRecord::is_keyframe) {
            client
                .handle_record(&excerpt.keyframe(&mut server))
                .unwrap();
            wants_keyframe = false;
        }
        while client.poll_event().is_some() {}
    }
    let shown: BTreeSet<NetId> = client
        .identities()
        .map(syncvar::NetworkIdentity::net_id)
        .collect();
    chosen.retain(|object| objects.contains(object));
    assert_eq!(shown, chosen);
    for object in shown {
        let (here, there) = (server.get::<Trail>(object), client.get::<Trail>(object));
        assert_eq!(
            here.unwrap().steps[..],
            there.unwrap().steps[..],
            "{object}"
        );
        let (here, there) = (server.get::<Chest>(object), client.get::<Chest>(object));
        assert_eq!(
            here.unwrap().items[..],
            there.unwrap().items[..],
            "{object}"
        );
    }
}

#[test]
fn an_excerpt_has_the_chosen_objects_with_their_state() {
    for seed in 1..=60 {
        let result = std::panic::catch_unwind(|| run_excerpt(seed));
        assert!(result.is_ok(), "seed {seed}");
    }
}
