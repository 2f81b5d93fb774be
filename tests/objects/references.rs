//! References to objects and behaviours: ids that are looked up late, told of when what they refer to
//! comes, and nothing once it is gone.

use std::collections::BTreeMap;
use std::time::Duration;
use syncvar_testing::ClientMessages as _;

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{
    ClientConfig, Framing, VisitRefs,
    behaviour::NetworkObjects,
    wire::{Encoding, NetworkReader, NetworkWriter, ReadErrorKind},
};
use syncvar_testing::{Door, Player, drain, frame};

/// Something that refers to others, by fields, collections and structs.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Turret {
    #[sync_var]
    target: SyncVar<NetRef>,
    #[sync_var]
    health: SyncVar<BehaviourRef<Player>>,
    #[sync_var]
    seen: SyncList<NetRef>,
    #[sync_var]
    marks: SyncDictionary<NetRef, Mark>,
    #[sync_var]
    next: SyncVar<BehaviourRef<Turret>>,
}

#[derive(SyncValue, Clone, Default, PartialEq, Debug)]
struct Mark {
    by: NetRef,
    parts: Vec<BehaviourRef<Door>>,
}

fn prefabs() -> Prefabs {
    syncvar_testing::prefabs()
        .register::<Turret>("turret")
        .register::<(Player, Player)>("twins")
}

fn network() -> MemoryNetwork {
    let mut net = MemoryNetwork::new(prefabs);
    net.connect();
    net.settle();
    drain(&mut net, 0);
    net
}

fn hidden() -> SpawnOptions {
    SpawnOptions {
        hidden: true,
        ..SpawnOptions::default()
    }
}

fn resolved(object: NetId, target: NetId) -> ClientEvent {
    ClientEvent::ReferenceResolved { object, target }
}

fn is_resolved(event: &ClientEvent) -> bool {
    matches!(event, ClientEvent::ReferenceResolved { .. })
}

/// The references that have been resolved since this was last asked.
fn all_resolved(net: &mut MemoryNetwork) -> Vec<ClientEvent> {
    let events = drain(net, 0).into_iter();
    events.filter(is_resolved).collect()
}

// checklist: T62
#[test]
fn a_reference_by_variable_gives_the_object_on_both_sides() {
    let mut net = network();
    let player = net.server.spawn(Player::new(7, "Ann"));
    let turret = net.server.spawn(Turret::default());
    let target = net.server.net_ref(player).expect("it is spawned");
    net.server
        .get_mut::<Turret>(turret)
        .unwrap()
        .target
        .set(target);
    net.settle();
    for reference in [
        *net.server.get::<Turret>(turret).unwrap().target,
        *net.client(0).get::<Turret>(turret).unwrap().target,
    ] {
        assert_eq!((reference, reference.id()), (target, player));
        assert_eq!(reference.try_get(&net.server).unwrap().net_id(), player);
        let seen = reference.behaviour::<Player>(net.client(0)).unwrap();
        assert_eq!(seen.health, 7);
        assert!(reference.behaviour::<Door>(net.client(0)).is_none());
    }
}

// checklist: T62
#[test]
fn null_reference_resolves_to_none() {
    let mut net = network();
    let turret = net.server.spawn(Turret::default());
    net.settle();
    let seen = net.client(0).get::<Turret>(turret).unwrap();
    assert!(seen.target.is_none() && seen.health.is_none());
    assert!(seen.target.try_get(net.client(0)).is_none());
    assert!(seen.health.try_get(net.client(0)).is_none());
    assert_eq!(NetRef::default(), NetRef::NONE);
    assert_eq!(BehaviourRef::<Door>::default(), BehaviourRef::NONE);
    assert!(!drain(&mut net, 0).iter().any(is_resolved));
}

// checklist: T62
#[test]
fn a_reference_is_not_made_to_an_object_that_is_not_spawned() {
    let mut net = network();
    let id = net.server.spawn(Player::default());
    assert_eq!(net.server.net_ref(NetId(99)), None);
    assert_eq!(NetRef::to(&net.server, NetId::NONE), None);
    assert_eq!(BehaviourRef::<Player>::to(&net.server, NetId(99)), None);
    assert_eq!(
        net.client(0).net_ref(id),
        None,
        "the client has not got it yet"
    );
    net.settle();
    assert_eq!(net.client(0).net_ref(id), net.server.net_ref(id));
}

// checklist: T62
#[test]
fn behaviour_reference_needs_an_object_with_that_behaviour() {
    let mut net = network();
    let gate = net.server.spawn((Door::default(), Player::new(3, "Bob")));
    assert_eq!(BehaviourRef::<Turret>::to(&net.server, gate), None);
    let keeper = BehaviourRef::<Player>::to(&net.server, gate).expect("it has one");
    assert_eq!((keeper.id(), keeper.index()), (gate, 1));
    assert_eq!(keeper.try_get(&net.server).unwrap().health, 3);
    assert_eq!(BehaviourRef::<Player>::at(&net.server, gate, 0), None);
}

// checklist: B23
#[test]
fn reference_names_one_of_two_behaviours_of_one_type() {
    let mut net = network();
    let twins = net
        .server
        .spawn((Player::new(1, "first"), Player::new(2, "second")));
    let turret = net.server.spawn(Turret::default());
    let second = BehaviourRef::<Player>::at(&net.server, twins, 1).unwrap();
    net.server
        .get_mut::<Turret>(turret)
        .unwrap()
        .health
        .set(second);
    net.settle();
    let reference = *net.client(0).get::<Turret>(turret).unwrap().health;
    assert_eq!(reference.try_get(net.client(0)).unwrap().health, 2);
    reference
        .try_get_mut(&mut net.server)
        .unwrap()
        .health
        .set(20);
    net.settle();
    assert_eq!(reference.try_get(net.client(0)).unwrap().health, 20);
    reference.try_get_mut(net.client_mut(0)).unwrap().last_input = 5;
    assert_eq!(reference.try_get(net.client(0)).unwrap().last_input, 5);
}

// checklist: T62
#[test]
fn reference_resolves_to_none_after_a_despawn() {
    let mut net = network();
    let player = net.server.spawn(Player::default());
    let turret = net.server.spawn(Turret::default());
    {
        let (target, health) = (
            NetRef::to(&net.server, player).unwrap(),
            BehaviourRef::to(&net.server, player).unwrap(),
        );
        let mut turret = net.server.get_mut::<Turret>(turret).unwrap();
        turret.target.set(target);
        turret.health.set(health);
    }
    net.settle();
    net.server.despawn(player).unwrap();
    net.settle();
    net.server.spawn(Player::default());
    net.settle();
    let seen = net.client(0).get::<Turret>(turret).unwrap();
    assert!(seen.target.try_get(net.client(0)).is_none());
    assert!(seen.health.try_get(net.client(0)).is_none());
    assert!(!seen.target.is_none(), "it refers to what is gone");
    assert!(seen.target.try_get(&net.server).is_none());
}

// checklist: T62
#[test]
fn references_convert_to_and_from_their_ids() {
    let mut net = network();
    let id = net.server.spawn(Player::default());
    let reference = NetRef::from(id);
    assert_eq!(NetId::from(reference), id);
    assert_eq!(NetRef::from(net.server.identity(id).unwrap()), reference);
    let player = BehaviourRef::<Player>::to(&net.server, id).unwrap();
    assert_eq!(NetRef::from(player), reference);
    assert_eq!(reference.to_string(), id.to_string());
    reference
        .behaviour_mut::<Player, _>(&mut net.server)
        .unwrap()
        .health
        .set(9);
    net.settle();
    assert_eq!(net.client(0).get::<Player>(id).unwrap().health, 9);
    let seen = reference.behaviour_mut::<Player, _>(net.client_mut(0));
    seen.unwrap().last_input = 1;
}

// checklist: B23
#[test]
fn references_in_collections_and_structs_arrive_as_they_are() {
    let mut net = network();
    let gate = net.server.spawn((Door::default(), Player::default()));
    let turret = net.server.spawn(Turret::default());
    let itself = BehaviourRef::<Turret>::to(&net.server, turret).unwrap();
    let mark = Mark {
        by: turret.into(),
        parts: vec![
            BehaviourRef::to(&net.server, gate).unwrap(),
            BehaviourRef::NONE,
        ],
    };
    {
        let mut turret = net.server.get_mut::<Turret>(turret).unwrap();
        turret.seen.push(gate.into());
        turret.marks.insert(gate.into(), mark.clone());
        turret.next.set(itself);
    }
    net.settle();
    let seen = net.client(0).get::<Turret>(turret).unwrap();
    assert_eq!(seen.seen[0].id(), gate);
    assert_eq!(seen.marks.get(&gate.into()), Some(&mark));
    assert!(std::ptr::eq(
        seen.next.try_get(net.client(0)).unwrap(),
        seen
    ));
    assert!(mark.parts[0].try_get(net.client(0)).is_some());
}

// Lesson 31.
#[test]
fn holder_is_notified_when_its_later_target_appears() {
    let mut net = network();
    let connection = net.connection(0);
    let player = net.server.try_spawn(Player::default(), hidden()).unwrap();
    let turret = net.server.spawn(Turret {
        target: NetRef::from(player).into(),
        ..Turret::default()
    });
    net.settle();
    let seen = |net: &MemoryNetwork| *net.client(0).get::<Turret>(turret).unwrap().target;
    assert!(!seen(&net).is_none());
    assert!(seen(&net).try_get(net.client(0)).is_none());
    drain(&mut net, 0);
    net.server.show(player, connection).unwrap();
    net.settle();
    let spawned = ClientEvent::Spawned { object: player };
    assert_eq!(drain(&mut net, 0), [spawned, resolved(turret, player)]);
    assert!(seen(&net).try_get(net.client(0)).is_some());
}

// Lesson 31.
#[test]
fn reference_set_before_its_target_is_shown_is_notified() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let config = ClientConfig {
            framing: dialect,
            ..ClientConfig::default()
        };
        let mut net = MemoryNetwork::new(prefabs);
        net.connect_client(NetworkClient::with_config(prefabs(), config));
        let connection = net.connection(0);
        let turrets = [(); 3].map(|()| net.server.spawn(Turret::default()));
        let player = net.server.try_spawn(Player::default(), hidden()).unwrap();
        net.settle();
        drain(&mut net, 0);
        let health = BehaviourRef::to(&net.server, player).unwrap();
        net.server
            .get_mut::<Turret>(turrets[0])
            .unwrap()
            .health
            .set(health);
        net.server
            .get_mut::<Turret>(turrets[2])
            .unwrap()
            .seen
            .push(player.into());
        net.settle();
        assert_eq!(all_resolved(&mut net), []);
        net.server.show(player, connection).unwrap();
        net.settle();
        let expected = [turrets[0], turrets[2]].map(|turret| resolved(turret, player));
        assert_eq!(all_resolved(&mut net), expected);
        // Once.
        net.server.hide(player, connection).unwrap();
        net.settle();
        net.server.show(player, connection).unwrap();
        net.settle();
        assert_eq!(all_resolved(&mut net), []);
    }
}

// Lesson 31.
#[test]
fn two_that_refer_to_each_other_and_come_in_one_message() {
    let mut net = network();
    let first = net.server.spawn(Turret::default());
    let second = net.server.spawn(Turret {
        target: NetRef::from(first).into(),
        ..Turret::default()
    });
    net.server
        .get_mut::<Turret>(first)
        .unwrap()
        .target
        .set(second.into());
    net.settle();
    let spawned = |object| ClientEvent::Spawned { object };
    let expected = [spawned(first), spawned(second), resolved(first, second)];
    assert_eq!(drain(&mut net, 0), expected);
}

// checklist: T60
#[test]
fn forward_references_of_a_burst_are_reported_after_it() {
    let mut net = MemoryNetwork::new(prefabs);
    let ids: Vec<_> = (0..50)
        .map(|_| net.server.spawn(Turret::default()))
        .collect();
    for (place, id) in ids.iter().enumerate() {
        let target = BehaviourRef::to(&net.server, ids[(place + 7) % 50]).unwrap();
        net.server.get_mut::<Turret>(*id).unwrap().next.set(target);
    }
    net.connect();
    net.settle();
    let events = drain(&mut net, 0);
    // The last seven refer back to objects that are spawned before them.
    let forward = (0..43).map(|place| resolved(ids[place], ids[place + 7]));
    let forward: Vec<_> = forward.collect();
    let after = &events[events.len() - 44..];
    assert_eq!(after[..43].len(), forward.len());
    assert!(forward.iter().all(|event| after.contains(event)));
    assert_eq!(after.last(), Some(&ClientEvent::Ready));
    for id in ids {
        let turret = net.client(0).get::<Turret>(id).unwrap();
        assert!(turret.next.try_get(net.client(0)).is_some());
    }
}

/// A program that maps ids to its own entities, as an engine does, in one pass over the events.
// checklist: T60
#[test]
fn one_pass_over_the_events_maps_every_reference() {
    for burst in [true, false] {
        for framing in [Framing::Unet, Framing::Compact] {
            let config = ClientConfig {
                framing,
                ..ClientConfig::default()
            };
            let mut net = MemoryNetwork::new(prefabs);
            let mut client = Some(NetworkClient::with_config(prefabs(), config));
            if !burst {
                net.connect_client(client.take().unwrap());
                net.settle();
            }
            let ids: Vec<_> = (0..20)
                .map(|_| net.server.spawn(Turret::default()))
                .collect();
            for (place, id) in ids.iter().enumerate() {
                let mut turret = net.server.get_mut::<Turret>(*id).unwrap();
                turret.target.set(ids[(place * 7 + 3) % 20].into());
                turret.seen.push(ids[19 - place].into());
            }
            if let Some(client) = client {
                net.connect_client(client);
            }
            net.settle();
            let mut entities = BTreeMap::new();
            let mut mapped = BTreeMap::new();
            for event in drain(&mut net, 0) {
                let (ClientEvent::Spawned { object }
                | ClientEvent::Changed { object, .. }
                | ClientEvent::ReferenceResolved { object, .. }) = event
                else {
                    continue;
                };
                let entity = entities.len();
                entities.entry(object).or_insert(entity);
                let turret = net.client(0).get::<Turret>(object).unwrap();
                let targets = [turret.target.id(), turret.seen[0].id()];
                mapped.insert(object, targets.map(|id| entities.get(&id).copied()));
            }
            assert_eq!(mapped.len(), 20);
            let all = mapped.values().flatten().all(Option::is_some);
            assert!(all, "burst {burst}, {framing:?}: {mapped:?}");
        }
    }
}

/// An object that the client has known before the burst is told of what comes with it, before `Ready`.
// checklist: T60
#[test]
fn objects_before_a_burst_are_notified_of_its_targets() {
    let mut net = network();
    let connection = net.connection(0);
    let player = net.server.try_spawn(Player::default(), hidden()).unwrap();
    let turret = net.server.spawn(Turret {
        target: NetRef::from(player).into(),
        ..Turret::default()
    });
    net.settle();
    net.server.set_not_ready(connection);
    net.server.show(player, connection).unwrap();
    net.settle();
    drain(&mut net, 0);
    net.client_mut(0).ready();
    net.settle();
    let expected = [
        ClientEvent::Restored { object: turret },
        ClientEvent::Spawned { object: player },
        resolved(turret, player),
        ClientEvent::Ready,
    ];
    assert_eq!(drain(&mut net, 0), expected);
}

// Lesson 31.
#[test]
fn holders_and_targets_that_go_are_forgotten() {
    let mut net = network();
    let connection = net.connection(0);
    let player = net.server.try_spawn(Player::default(), hidden()).unwrap();
    let holder = || Turret {
        target: NetRef::from(player).into(),
        ..Turret::default()
    };
    let (gone, hides, stays) = (
        net.server.spawn(holder()),
        net.server.spawn(holder()),
        net.server.spawn(holder()),
    );
    net.settle();
    net.server.despawn(gone).unwrap();
    net.server.hide(hides, connection).unwrap();
    net.settle();
    net.server.show(player, connection).unwrap();
    net.settle();
    assert_eq!(all_resolved(&mut net), [resolved(stays, player)]);
    net.server.show(hides, connection).unwrap();
    net.settle();
    assert_eq!(all_resolved(&mut net), [], "its target is there already");
}

/// A full state says what there is to wait for: references of former states are forgotten.
// Lesson 31.
#[test]
fn snapshot_replaces_pending_references() {
    let mut net = network();
    let connection = net.connection(0);
    let [first, second] =
        [(); 2].map(|()| net.server.try_spawn(Player::default(), hidden()).unwrap());
    let turret = net.server.spawn(Turret {
        target: NetRef::from(first).into(),
        ..Turret::default()
    });
    net.settle();
    net.server.set_not_ready(connection);
    net.server
        .get_mut::<Turret>(turret)
        .unwrap()
        .target
        .set(second.into());
    net.settle();
    net.client_mut(0).ready();
    net.settle();
    drain(&mut net, 0);
    net.server.show(first, connection).unwrap();
    net.server.show(second, connection).unwrap();
    net.settle();
    assert_eq!(all_resolved(&mut net), [resolved(turret, second)]);
}

// Lesson 31.
#[test]
fn how_many_references_are_waited_for_is_bounded() {
    let config = ClientConfig {
        max_pending_references: 3,
        ..ClientConfig::default()
    };
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    let connection = net.connection(0);
    let turret = net.server.spawn(Turret::default());
    let players = [(); 5].map(|()| net.server.try_spawn(Player::default(), hidden()).unwrap());
    net.settle();
    for player in players {
        net.server
            .get_mut::<Turret>(turret)
            .unwrap()
            .seen
            .push(player.into());
    }
    net.settle();
    for player in players {
        net.server.show(player, connection).unwrap();
    }
    net.settle();
    let expected = [0, 1, 2].map(|index| resolved(turret, players[index]));
    assert_eq!(all_resolved(&mut net), expected);
}

/// What could not be read is not waited for either.
#[test]
fn references_of_unreadable_state_are_not_pending() {
    let mut net = network();
    let turret = net.server.spawn(Turret::default());
    net.settle();
    drain(&mut net, 0);
    // The target, and then a reference to a behaviour that is cut short.
    let garbled = frame(8, &[u8::try_from(turret.0).unwrap(), 3, 9, 9]);
    net.client_mut(0).handle_messages(0, &garbled).unwrap();
    let events = drain(&mut net, 0);
    assert!(matches!(events[..], [ClientEvent::Poisoned { .. }]));
    let ids: Vec<_> = (0..12)
        .map(|_| net.server.spawn(Player::default()))
        .collect();
    assert!(ids.contains(&NetId(9)));
    net.settle();
    assert_eq!(all_resolved(&mut net), []);
}

#[test]
fn unknown_position_is_refused_and_a_wrong_type_is_none() {
    for dialect in [Encoding::Unet, Encoding::Compact] {
        let read = |bytes: &[u8]| {
            let mut reader = NetworkReader::with_encoding(bytes, dialect);
            let value = reader.read::<BehaviourRef<Player>>()?;
            reader.finish().map(|()| value)
        };
        assert_eq!(read(&[0]), Ok(BehaviourRef::NONE));
        let (what, value) = ("position of a behaviour", 64);
        let error = read(&[5, 64]).unwrap_err();
        assert_eq!(error.kind(), ReadErrorKind::InvalidValue { what, value });
        assert_eq!(error.offset(), 1);
        assert!(read(&[5]).is_err());
        let mut net = network();
        let door = net.server.spawn(Door::default());
        for index in [0, 63] {
            let lie = read(&[u8::try_from(door.0).unwrap(), index]).unwrap();
            assert_eq!(
                (lie.id(), lie.try_get(&net.server).map(|_| ())),
                (door, None)
            );
            assert!(lie.try_get_mut(&mut net.server).is_err());
        }
    }
}

/// A program can look references up in something of its own.
#[test]
fn references_resolve_in_any_object_container() {
    struct Game {
        server: NetworkServer,
        time: Duration,
    }
    impl NetworkObjects for Game {
        fn identity(&self, id: NetId) -> Option<syncvar::NetworkIdentity<'_>> {
            self.server.identity(id)
        }
    }
    let mut game = Game {
        server: NetworkServer::new(prefabs()),
        time: Duration::from_secs(1),
    };
    let id = game.server.spawn(Door::default());
    game.server.update(game.time);
    assert!(NetRef::from(id).behaviour::<Door>(&game).is_some());
}

/// In the steady state reading references takes no memory, whether they wait for their targets or not.
#[test]
fn reference_changes_allocate_no_memory() {
    let mut server = NetworkServer::new(prefabs());
    let mut client = NetworkClient::new(prefabs());
    client.handle_connect();
    let connection = server.handle_connect();
    let turret = server.spawn(Turret::default());
    let doors = [(); 2].map(|()| server.spawn(Door::default()));
    let far = server.try_spawn(Door::default(), hidden()).unwrap();
    for second in 1..40 {
        while let Some(packet) = client.poll_transmit() {
            server
                .handle_packet(connection, packet.channel, &packet.bytes)
                .unwrap();
        }
        let target = [doors[0], far, doors[1]][second % 3];
        let mut changed = server.get_mut::<Turret>(turret).unwrap();
        changed.target.set(target.into());
        drop(changed);
        server.update(Duration::from_secs(second as u64));
        while let Some(transmit) = server.poll_transmit() {
            let packet = transmit.to_bytes();
            let allocated = allocation_counter::measure(|| {
                client.handle_packet(transmit.channel, &packet).unwrap();
                while client.poll_event().is_some() {}
            });
            assert!(second < 20 || allocated.count_total == 0, "{allocated:?}");
        }
    }
    assert_eq!(client.get::<Turret>(turret).unwrap().target.id(), doors[0]);
}

proptest! {
    #[test]
    fn references_are_read_as_they_were_written(id in any::<u32>(), index in 0_u8..64, compact in any::<bool>()) {
        let dialect = if compact { Encoding::Compact } else { Encoding::Unet };
        let mut writer = NetworkWriter::with_encoding(dialect);
        let reference = NetRef::from(NetId(id));
        writer.write(&reference);
        writer.write_u8(0xee);
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), dialect);
        prop_assert_eq!(reader.read::<NetRef>().unwrap(), reference);
        prop_assert_eq!(reader.read_u8(), Ok(0xee));
        // The same bytes as an id, and an index behind it.
        let mut writer = NetworkWriter::with_encoding(dialect);
        writer.write(&NetId(id));
        if id != 0 {
            writer.write(&index);
        }
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), dialect);
        let behaviour = reader.read::<BehaviourRef<Player>>().unwrap();
        reader.finish().unwrap();
        prop_assert_eq!((behaviour.id(), behaviour.index()), (NetId(id), if id == 0 { 0 } else { index.into() }));
        let mut again = NetworkWriter::with_encoding(dialect);
        again.write(&behaviour);
        prop_assert_eq!(again.as_bytes(), writer.as_bytes());
    }
}

// Lesson 31.
#[test]
fn reference_in_synchronized_data_is_notified() {
    /// Has a reference beside its fields.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(synchronize)]
    struct Rope {
        knot: NetRef,
    }

    impl Synchronize for Rope {
        fn on_synchronize(
            &mut self,
            serializer: &mut BufferSerializer<'_, '_>,
        ) -> Result<(), SynchronizeError> {
            serializer.serialize_value(&mut self.knot)
        }
    }

    let mut net = MemoryNetwork::new(|| prefabs().register::<Rope>("rope"));
    net.connect();
    net.settle();
    let player = net.server.try_spawn(Player::default(), hidden()).unwrap();
    let knot = net.server.net_ref(player).unwrap();
    let rope = net.server.spawn(Rope { knot });
    net.settle();
    assert_eq!(all_resolved(&mut net), []);
    let connection = net.connection(0);
    net.server.show(player, connection).unwrap();
    net.settle();
    assert_eq!(all_resolved(&mut net), [resolved(rope, player)]);
    let seen = net.client(0).get::<Rope>(rope).unwrap();
    assert!(seen.knot.try_get(net.client(0)).is_some());
}

#[test]
fn references_in_a_value_are_visited_and_replaced() {
    #[derive(SyncValue, Clone, PartialEq, Debug)]
    enum Order {
        Wait,
        Follow { leader: NetRef, at: u32 },
        Guard(Vec<Mark>, BTreeMap<NetRef, NetId>),
    }
    let to = |id: u32| NetRef::reserved(NetId(id));
    let mark = Mark {
        by: to(3),
        parts: vec![BehaviourRef::NONE],
    };
    let posts = BTreeMap::from([(to(4), NetId(4)), (to(5), NetId(5))]);
    let mut orders = [
        Order::Wait,
        Order::Follow {
            leader: to(2),
            at: 7,
        },
        Order::Guard(vec![mark.clone(), Mark::default()], posts),
    ];
    let mut seen = Vec::new();
    orders
        .visit_refs(|target| seen.push(target.id().0))
        .unwrap();
    assert_eq!(seen, [2, 3, 4, 5]);
    // The order of the new ids may differ from that of the old ones.
    orders.map_refs(|target| to(1000 - target.id().0)).unwrap();
    let posts = BTreeMap::from([(to(996), NetId(4)), (to(995), NetId(5))]);
    let moved = Mark {
        by: to(997),
        ..mark
    };
    assert_eq!(
        orders,
        [
            Order::Wait,
            Order::Follow {
                leader: to(998),
                at: 7
            },
            Order::Guard(vec![moved, Mark::default()], posts),
        ]
    );
    orders.map_refs(|_| NetRef::NONE).unwrap();
    assert!(matches!(&orders[1], Order::Follow { leader, .. } if leader.is_none()));
}

#[test]
fn a_value_without_a_form_keeps_its_references() {
    let mut value = (NetRef::reserved(NetId(1)), "x".repeat(70_000));
    let error = value.map_refs(|_| NetRef::NONE).unwrap_err();
    assert!(error.to_string().contains("70000"), "{error}");
    assert_eq!(value.0.id(), NetId(1));
}

#[test]
fn a_behaviour_reference_without_an_object_has_no_position() {
    let mut net = network();
    let twins = net.server.spawn((Player::default(), Player::default()));
    let mut reference = BehaviourRef::<Player>::at(&net.server, twins, 1).unwrap();
    reference.map_refs(|target| target).unwrap();
    assert_eq!(reference.index(), 1);
    reference.map_refs(|_| NetRef::NONE).unwrap();
    assert_eq!(reference, BehaviourRef::NONE);
}
