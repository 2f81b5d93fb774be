//! Fields that the owner writes.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;
use syncvar::{
    Framing, SyncField,
    codec::Half,
    schema::TypeSchema,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

use syncvar_testing::Crowd;

use crate::ownership::{DIALECTS, crowd, marker};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Body {
    #[sync_var]
    health: SyncVar<u32>,
    #[sync_var(write = owner)]
    stance: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Pilot {
    #[network_behaviour(base)]
    body: Body,
    #[sync_var(write = owner, hook = on_aim)]
    aim: SyncVar<f32>,
    #[sync_var(write = owner, with = Half)]
    throttle: SyncVar<f32>,
    #[sync_var(write = owner, read = owner)]
    notes: SyncVar<String>,
    #[sync_var(write = owner, server_override)]
    mode: SyncVar<u32>,
    #[sync_var(write = owner)]
    path: SyncList<u32>,
    #[sync_var(write = owner, server_override)]
    orders: SyncList<u32>,
    #[sync_var]
    score: SyncVar<u32>,
    #[sync_var]
    loot: SyncList<u32>,
    mouse: (i32, i32),
    told: Vec<(f32, f32)>,
}

impl Pilot {
    fn on_aim(&mut self, previous: f32) {
        self.told.push((previous, *self.aim));
    }

    fn state(&self) -> (u32, u32, f32, f32, u32, Vec<u32>, Vec<u32>, u32, Vec<u32>) {
        (
            *self.body.health,
            *self.body.stance,
            *self.aim,
            *self.throttle,
            *self.mode,
            self.path.to_vec(),
            self.orders.to_vec(),
            *self.score,
            self.loot.to_vec(),
        )
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Pilot>("pilot")
}

/// Two clients, the first of which owns a pilot.
fn world(dialect: Framing) -> (Crowd, [ConnectionId; 2], NetId) {
    let mut world = crowd(prefabs, dialect);
    let clients = [world.join(), world.join()];
    let id = world.owned(Pilot::default(), clients[0]);
    world.step();
    for client in clients {
        world.events(client);
    }
    world.server_events();
    (world, clients, id)
}

/// All have the same.
fn assert_equal(world: &Crowd, id: NetId) {
    let expected = world.server.get::<Pilot>(id).unwrap();
    assert_eq!(expected.sync_var_dirty_bits(), 0);
    for (connection, client) in &world.clients {
        let state = client.get::<Pilot>(id).unwrap().state();
        assert_eq!(state, expected.state(), "{connection}");
    }
}

/// CHECKLIST T3, N24; LESSONS 18: all fields of one write at once, and the writer is not sent it back.
#[test]
fn owner_write_reaches_the_server_and_the_other_clients() {
    for dialect in DIALECTS {
        let (mut world, [owner, other], id) = world(dialect);
        let sent = world.bytes[&owner].len();
        let mut pilot = world.client(owner).get_mut::<Pilot>(id).unwrap();
        pilot.aim.set(1.5);
        pilot.throttle.set(0.25);
        pilot.body.stance.set(3);
        pilot.path.push(7);
        pilot.mouse = (3, 4);
        drop(pilot);
        world.step();
        assert_equal(&world, id);
        let state = world.replica::<Pilot>(other, id).state();
        assert_eq!(state, (0, 3, 1.5, 0.25, 0, vec![7], vec![], 0, vec![]));
        assert_eq!(world.replica::<Pilot>(other, id).told, [(0.0, 1.5)]);
        assert_eq!(world.replica::<Pilot>(owner, id).mouse, (3, 4));
        assert!(
            world.server.get::<Pilot>(id).unwrap().told.is_empty(),
            "no hook"
        );
        assert_eq!(world.bytes[&owner].len(), sent, "no echo");
        let events = world.server_events();
        assert!(
            matches!(
                &events[..],
                [ServerEvent::Written { connection, object, behaviour: 0, fields }]
                    if *connection == owner && *object == id
                        && fields.names().eq(["stance", "aim", "throttle", "path"])
            ),
            "{events:?}"
        );
    }
}

/// CHECKLIST T4: nobody else is sent it.
#[test]
fn owner_private_write_reaches_the_server_only() {
    for dialect in DIALECTS {
        let (mut world, [owner, other], id) = world(dialect);
        world
            .client(owner)
            .get_mut::<Pilot>(id)
            .unwrap()
            .notes
            .set(marker(1));
        world.step();
        assert_eq!(*world.server.get::<Pilot>(id).unwrap().notes, marker(1));
        assert_eq!(*world.replica::<Pilot>(other, id).notes, "");
        assert!(!world.was_sent(other, &marker(1)));
        assert!(!world.was_sent(owner, &marker(1)), "it has it");
        assert_equal(&world, id);
        assert!(world.server.is_idle());
    }
}

/// CHECKLIST T5, T8, M2, M11; LESSONS 19: refused, told, and restored.
#[test]
fn client_cannot_change_server_fields_or_foreign_objects() {
    for dialect in DIALECTS {
        let (mut world, [owner, other], id) = world(dialect);
        for (client, fields) in [
            (owner, &["score", "loot"][..]),
            (other, &["stance", "aim", "notes", "path", "score", "loot"]),
        ] {
            let mut pilot = world.client(client).get_mut::<Pilot>(id).unwrap();
            pilot.score.set(9);
            pilot.loot.push(9);
            if client == other {
                pilot.aim.set(9.0);
                pilot.body.stance.set(9);
                pilot.notes.set("mine".into());
                pilot.path.push(9);
            }
            drop(pilot);
            let events = world.events(client);
            assert!(
                matches!(
                    &events[..],
                    [ClientEvent::WriteRefused { object, behaviour: 0, fields: refused }]
                        if *object == id && refused.names().eq(fields.iter().copied())
                ),
                "{events:?}"
            );
            world.step();
            assert_equal(&world, id);
            assert_eq!(world.events(client), [ClientEvent::Restored { object: id }]);
        }
        assert_eq!(world.server_events(), []);
        assert_eq!(*world.server.get::<Pilot>(id).unwrap().score, 0);
        // What an owner has written and not sent yet outlives a refusal.
        let mut pilot = world.client(owner).get_mut::<Pilot>(id).unwrap();
        pilot.score.set(9);
        pilot.aim.set(2.0);
        drop(pilot);
        world.steps(3);
        assert_equal(&world, id);
        assert_eq!(*world.replica::<Pilot>(other, id).aim, 2.0);
    }
}

/// CHECKLIST T1, T2, T28: the server writes everything as long as nobody owns the object.
#[test]
fn the_server_writes_before_the_spawn_and_without_an_owner() {
    for dialect in DIALECTS {
        let (mut world, [owner, other], _) = world(dialect);
        let pilot = Pilot {
            aim: 4.0.into(),
            ..Pilot::default()
        };
        let id = world.server.spawn(pilot);
        world.server.get_mut::<Pilot>(id).unwrap().path.push(1);
        world.step();
        let mut pilot = world.server.get_mut::<Pilot>(id).unwrap();
        pilot.aim.set(5.0);
        pilot.body.stance.set(1);
        pilot.score.set(2);
        pilot.path.push(2);
        drop(pilot);
        world.step();
        assert_equal(&world, id);
        for client in [owner, other] {
            let pilot = world.replica::<Pilot>(client, id);
            assert_eq!((*pilot.aim, pilot.path.to_vec()), (5.0, vec![1, 2]));
        }
        assert_eq!(world.server_events(), []);
    }
}

/// CHECKLIST T6, N22; LESSONS 20.
#[test]
fn server_write_to_an_owner_field_needs_an_override() {
    for dialect in DIALECTS {
        let (mut world, [owner, other], id) = world(dialect);
        let mut pilot = world.client(owner).get_mut::<Pilot>(id).unwrap();
        pilot.aim.set(1.0);
        pilot.path.push(1);
        drop(pilot);
        world.step();
        world.server_events();
        let mut pilot = world.server.get_mut::<Pilot>(id).unwrap();
        pilot.aim.set(9.0);
        pilot.path.push(9);
        pilot.body.stance.set(9);
        pilot.score.set(3);
        drop(pilot);
        let events = world.server_events();
        assert!(
            matches!(
                &events[..],
                [ServerEvent::WriteRefused { object, fields }]
                    if *object == id && fields.names().eq(["stance", "aim", "path"])
            ),
            "{events:?}"
        );
        let pilot = world.server.get::<Pilot>(id).unwrap();
        assert_eq!((*pilot.aim, pilot.path.to_vec()), (1.0, vec![1]));
        world.step();
        assert_equal(&world, id);
        assert_eq!(
            *world.replica::<Pilot>(other, id).score,
            3,
            "its own it writes"
        );

        // Both write: the last that comes to the server counts, for everyone.
        world.server.get_mut::<Pilot>(id).unwrap().mode.set(5);
        world.server.get_mut::<Pilot>(id).unwrap().orders.push(5);
        let mut pilot = world.client(owner).get_mut::<Pilot>(id).unwrap();
        pilot.mode.set(6);
        pilot.orders.push(6);
        drop(pilot);
        world.steps(4);
        assert_equal(&world, id);
        assert_eq!(*world.replica::<Pilot>(owner, id).mode, 6);
        world.server.get_mut::<Pilot>(id).unwrap().mode.set(7);
        world.step();
        assert_equal(&world, id);
        assert_eq!(*world.replica::<Pilot>(owner, id).mode, 7);
        assert!(
            world
                .server_events()
                .iter()
                .all(|event| matches!(event, ServerEvent::Written { .. }))
        );
    }
}

/// CHECKLIST T38: an owner appends in every tick; nobody sees a number twice or misses one.
#[test]
fn owner_list_has_no_duplicates_and_no_gaps_over_many_ticks() {
    for dialect in DIALECTS {
        let (mut world, [owner, _], id) = world(dialect);
        for number in 0..30 {
            world
                .client(owner)
                .get_mut::<Pilot>(id)
                .unwrap()
                .path
                .push(number);
            if number == 10 {
                world.join();
            }
            world.step();
            if number == 20 {
                world
                    .client(owner)
                    .get_mut::<Pilot>(id)
                    .unwrap()
                    .score
                    .set(1);
            }
            for client in world.clients.values() {
                let path = client.get::<Pilot>(id).unwrap().path.to_vec();
                assert!(path.iter().copied().eq(0..path.len() as u32), "{path:?}");
            }
        }
        world.steps(3);
        assert_equal(&world, id);
        assert_eq!(world.server.get::<Pilot>(id).unwrap().path.len(), 30);
    }
}

/// CHECKLIST T39: three objects, of the server and of each client; three writers; a variable and a
/// list; the server's and the owner's.
#[test]
fn only_the_permitted_writer_changes_its_object() {
    for dialect in DIALECTS {
        let (mut world, [a, b], _) = world(dialect);
        let owners = [None, Some(a), Some(b)];
        let ids = owners.map(|owner| {
            let id = world.server.spawn(Pilot::default());
            world.server.set_owner(id, owner).unwrap();
            id
        });
        world.step();
        for (number, writer) in [(1, None), (2, Some(a)), (3, Some(b))] {
            world.server_events();
            for (id, owner) in ids.into_iter().zip(owners) {
                let write = |pilot: &mut Pilot| {
                    pilot.aim.set(number as f32);
                    pilot.path.push(number);
                    pilot.score.set(number);
                    pilot.loot.push(number);
                };
                let before = world.server.get::<Pilot>(id).unwrap().state();
                let told = match writer {
                    None => {
                        write(&mut world.server.get_mut::<Pilot>(id).unwrap());
                        let told = world.server_events();
                        told.iter()
                            .any(|event| matches!(event, ServerEvent::WriteRefused { .. }))
                    }
                    Some(client) => {
                        write(&mut world.client(client).get_mut::<Pilot>(id).unwrap());
                        let told = world.events(client);
                        told.iter()
                            .any(|event| matches!(event, ClientEvent::WriteRefused { .. }))
                    }
                };
                world.steps(2);
                assert_equal(&world, id);
                let after = world.server.get::<Pilot>(id).unwrap().state();
                assert_eq!(after.2 != before.2 && after.5 != before.5, owner == writer);
                assert_eq!(after.7 != before.7 && after.8 != before.8, writer.is_none());
                let both = writer.is_none() && owner.is_none();
                assert_eq!(told, !both, "somebody's fields were not to be written");
            }
        }
    }
}

/// CHECKLIST T29: two behaviours on each of several objects, no client up to two.
#[test]
fn written_field_is_dirty_until_the_update_and_clean_after() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Seat {
        #[sync_var(read = owner)]
        key: SyncVar<u32>,
        #[sync_var(read = others)]
        label: SyncVar<u32>,
        #[sync_var]
        taken: SyncVar<bool>,
    }
    let prefabs = || Prefabs::new().register::<(Seat, Pilot)>("car");
    for clients in 0..3 {
        let mut world = crowd(prefabs, DIALECTS[1]);
        let connections: Vec<_> = (0..clients).map(|_| world.join()).collect();
        let cars: Vec<_> = (0..3)
            .map(|_| (Seat::default(), Pilot::default()))
            .collect();
        let ids: Vec<_> = cars
            .into_iter()
            .map(|car| world.server.spawn(car))
            .collect();
        for (id, owner) in ids.iter().zip(&connections) {
            world.server.set_owner(*id, Some(*owner)).unwrap();
        }
        world.step();
        for id in &ids {
            let mut seat = world.server.get_mut::<Seat>(*id).unwrap();
            seat.key.set(1);
            seat.label.set(2);
            seat.taken.set(true);
            assert_eq!(seat.sync_var_dirty_bits(), 0b111);
            drop(seat);
            world.server.get_mut::<Pilot>(*id).unwrap().score.set(3);
        }
        world.step();
        for (place, id) in ids.iter().enumerate() {
            assert_eq!(
                world.server.get::<Seat>(*id).unwrap().sync_var_dirty_bits(),
                0
            );
            for (index, connection) in connections.iter().enumerate() {
                let owns = index == place;
                let seat = world.replica::<Seat>(*connection, *id);
                let expected = if owns { (1, 0, true) } else { (0, 2, true) };
                assert_eq!((*seat.key, *seat.label, *seat.taken), expected);
                assert_eq!(*world.replica::<Pilot>(*connection, *id).score, 3);
            }
        }
        assert!(world.server.is_idle());
    }
}

/// The send interval of the behaviour and the field's own hold the owner back as they do the server.
#[test]
fn an_owner_sends_no_more_often_than_the_intervals_say() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0.15)]
    struct Probe {
        #[sync_var(write = owner)]
        fast: SyncVar<u32>,
        #[sync_var(write = owner, min_interval = 0.5)]
        slow: SyncVar<u32>,
    }
    let prefabs = || Prefabs::new().register::<Probe>("probe");
    let mut world = crowd(prefabs, DIALECTS[1]);
    let owner = world.join();
    let id = world.owned(Probe::default(), owner);
    world.steps(20);
    let mut writes = [0, 0];
    for number in 1..=40 {
        let mut probe = world.client(owner).get_mut::<Probe>(id).unwrap();
        probe.fast.set(number);
        probe.slow.set(number);
        drop(probe);
        world.step();
        for event in world.server_events() {
            if let Some(written) = event.changed::<Probe>() {
                for (count, field) in writes.iter_mut().zip([Probe::FAST, Probe::SLOW]) {
                    *count += u32::from(written.contains(field));
                }
            }
        }
    }
    assert_eq!(
        writes,
        [10, 4],
        "2 s: every 4 ticks, and the slow one at the third such time"
    );
    world.steps(12);
    let probe = world.server.get::<Probe>(id).unwrap();
    assert_eq!((*probe.fast, *probe.slow), (40, 40));
}

/// A container of the user's own, with permissions.
#[derive(Default)]
struct Flag {
    on: bool,
    dirty: bool,
}

impl SyncField for Flag {
    const SCHEMA: TypeSchema = TypeSchema::Named("Flag");
    const RESENDABLE: bool = true;

    fn is_dirty(&self) -> bool {
        self.dirty
    }
    fn set_dirty(&mut self) {
        self.dirty = true;
    }
    fn clear_dirty(&mut self) {
        self.dirty = false;
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        writer.write(&self.on);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        writer.write(&self.on);
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.on = reader.read()?;
        Ok(())
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.read_full(reader)
    }
}

#[test]
fn containers_of_the_users_own_have_permissions_too() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Lamp {
        #[sync_var(write = owner)]
        lit: Flag,
        #[sync_var(read = owner)]
        armed: Flag,
    }
    let prefabs = || Prefabs::new().register::<Lamp>("lamp");
    let mut world = crowd(prefabs, DIALECTS[0]);
    let (owner, other) = (world.join(), world.join());
    let id = world.owned(Lamp::default(), owner);
    world.step();
    let mut lamp = world.client(owner).get_mut::<Lamp>(id).unwrap();
    (lamp.lit.on, lamp.lit.dirty) = (true, true);
    drop(lamp);
    let mut lamp = world.server.get_mut::<Lamp>(id).unwrap();
    (lamp.armed.on, lamp.armed.dirty) = (true, true);
    (lamp.lit.on, lamp.lit.dirty) = (true, true);
    drop(lamp);
    assert!(!world.server.get::<Lamp>(id).unwrap().lit.on, "refused");
    world.step();
    let lamp = |connection| {
        let lamp = world.replica::<Lamp>(connection, id);
        (lamp.lit.on, lamp.armed.on)
    };
    assert_eq!((lamp(owner), lamp(other)), ((true, true), (true, false)));
}

/// CHECKLIST T32, as far as owners write.
#[test]
fn owner_writes_collections_of_each_kind() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Bag {
        #[sync_var(write = owner)]
        items: SyncList<String>,
        #[sync_var(write = owner)]
        ammo: SyncDictionary<String, u32>,
        #[sync_var(write = owner)]
        tags: SyncHashSet<u32>,
        #[sync_var(write = owner)]
        scores: SyncSortedSet<u32>,
    }
    fn state(bag: &Bag) -> (Vec<String>, Vec<(String, u32)>, Vec<u32>, Vec<u32>) {
        let mut ammo: Vec<_> = bag.ammo.iter().map(|(k, v)| (k.clone(), *v)).collect();
        let mut tags: Vec<_> = bag.tags.iter().copied().collect();
        ammo.sort();
        tags.sort_unstable();
        let scores = bag.scores.iter().copied().collect();
        (bag.items.to_vec(), ammo, tags, scores)
    }
    for dialect in DIALECTS {
        let mut world = crowd(|| Prefabs::new().register::<Bag>("bag"), dialect);
        let (owner, other) = (world.join(), world.join());
        let id = world.owned(Bag::default(), owner);
        world.step();
        for round in 0..6 {
            let mut bag = world.client(owner).get_mut::<Bag>(id).unwrap();
            bag.items.insert(0, round.to_string());
            bag.ammo.insert((round % 4).to_string(), round);
            bag.tags.insert(round);
            bag.tags.remove(&round.wrapping_sub(2));
            bag.scores.insert(10 - round);
            if round == 4 {
                bag.items.remove(1);
                bag.ammo.remove("1");
            }
            drop(bag);
            world.step();
            let expected = state(world.replica::<Bag>(owner, id));
            assert_eq!(state(world.server.get::<Bag>(id).unwrap()), expected);
            assert_eq!(state(world.replica::<Bag>(other, id)), expected);
        }
        assert_eq!(world.replica::<Bag>(other, id).items.len(), 5);
    }
}

/// A lost owner write is not repeated, so it must not share the packet of an unreliable command.
#[test]
fn owner_writes_are_reliable_after_an_unreliable_command() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Scout {
        #[sync_var(write = owner)]
        aim: SyncVar<u32>,
    }

    #[network_calls]
    impl Scout {
        #[command(channel = 1)]
        fn report(&mut self) {
            self.aim.get();
        }
    }

    let mut world = crowd(
        || Prefabs::new().register::<Scout>("scout"),
        Framing::Compact,
    );
    let owner = world.join();
    let id = world.owned(Scout::default(), owner);
    world.step();
    let now = world.now + world.tick;
    let client = world.client(owner);
    client.calls::<Scout>(id).report().unwrap();
    client.get_mut::<Scout>(id).unwrap().aim.set(7);
    client.update(now);
    let channels: Vec<u8> = std::iter::from_fn(|| client.poll_transmit())
        .map(|packet| packet.channel)
        .collect();
    assert_eq!(channels, [1, 0]);
}
