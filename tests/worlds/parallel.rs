//! Several threads write the same bytes in the same order as one.

mod threads;
pub(crate) mod twins;

use std::time::Duration;

use self::twins::{Chatter, Hoard, Volley};
use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{
    Budget, Framing,
    behaviour::BehaviourList,
    interest::SpatialGrid,
    values::{Quaternion, Vector3},
};
use syncvar_testing::{Banner, Compass, Door, Player, Score, Twins};

/// What is done to both servers. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Action {
    /// So many objects of one kind, one after another.
    Spawn {
        kind: u8,
        count: u8,
        hidden: bool,
    },
    /// Every so many-th object goes, and rows become free.
    Despawn(usize),
    /// So many objects are changed, from one on, each of them in another way.
    Change {
        first: usize,
        count: usize,
        seed: u32,
    },
    /// Two in a row get texts of so many bytes; some have no form on the wire.
    SetText(usize, usize),
    /// One gets so many pieces of gold and of silver, which may be too many for a message.
    Fill(usize, usize, usize),
    Show(usize, usize),
    Hide(usize, usize),
    HideFromAll(usize),
    SetOwner(usize, usize),
    Move(usize, i8),
    Watch(usize, i8),
    Join(bool),
    Leave(usize),
    SetReady(usize, bool),
    SetBudget(usize, Option<usize>),
    SetPriority(usize, f32),
    Tick(u16),
}

fn action() -> impl Strategy<Value = Action> {
    use Action as A;
    let (one, two) = (any::<usize>, any::<(usize, usize)>);
    prop_oneof![
        3 => (0..7_u8, 1..30_u8, prop::bool::weighted(0.1))
            .prop_map(|(kind, count, hidden)| A::Spawn { kind, count, hidden }),
        1 => (2..9_usize).prop_map(A::Despawn),
        8 => (one(), 0..120_usize, any::<u32>())
            .prop_map(|(first, count, seed)| A::Change { first, count, seed }),
        1 => (one(), prop_oneof![Just(3_usize), Just(300), Just(40_000)])
            .prop_map(|(o, bytes)| A::SetText(o, bytes)),
        1 => (one(), 65_515..65_536_usize, prop_oneof![Just(0_usize), Just(20_000), Just(50_000)])
            .prop_map(|(o, gold, silver)| A::Fill(o, gold, silver)),
        1 => two().prop_map(|(o, c)| A::Show(o, c)),
        1 => two().prop_map(|(o, c)| A::Hide(o, c)),
        1 => one().prop_map(A::HideFromAll),
        1 => two().prop_map(|(o, c)| A::SetOwner(o, c)),
        1 => (one(), any::<i8>()).prop_map(|(o, x)| A::Move(o, x)),
        1 => (one(), any::<i8>()).prop_map(|(c, x)| A::Watch(c, x)),
        1 => any::<bool>().prop_map(A::Join),
        1 => one().prop_map(A::Leave),
        1 => (one(), any::<bool>()).prop_map(|(c, ready)| A::SetReady(c, ready)),
        1 => (one(), prop::option::of(1..400_usize)).prop_map(|(c, b)| A::SetBudget(c, b)),
        1 => (one(), any::<f32>()).prop_map(|(o, p)| A::SetPriority(o, p)),
        8 => (0..300_u16).prop_map(A::Tick),
    ]
}

/// Spawns an object of one of the kinds.
fn spawn(server: &mut NetworkServer, kind: u8, hidden: bool) -> NetId {
    let options = SpawnOptions {
        hidden,
        ..SpawnOptions::default()
    };
    let (door, player) = (Door::default(), Player::default());
    let spawned = match kind {
        0 => server.try_spawn(player, options),
        1 => server.try_spawn((door, player), options),
        2 => server.try_spawn((door, Compass::default()), options),
        3 => server.try_spawn((Score::default(), Banner::default()), options),
        4 => server.try_spawn((Volley::default(), Chatter::default(), door), options),
        5 => server.try_spawn(Hoard::default(), options),
        _ => server.try_spawn(BehaviourList::new().with(door).with(player), options),
    };
    spawned.expect("its prefab is registered")
}

/// Changes some behaviours of an object, whichever it has.
fn change(server: &mut NetworkServer, id: NetId, seed: u32) {
    if let Some(mut player) = server
        .get_mut::<Player>(id)
        .ok()
        .filter(|_| !seed.is_multiple_of(3))
    {
        player.health.set(seed.cast_signed() >> (seed % 32));
        if seed.is_multiple_of(5) {
            player.name.set("n".repeat((seed % 40) as usize));
        }
    }
    if let Some(mut door) = server
        .get_mut::<Door>(id)
        .ok()
        .filter(|_| seed.is_multiple_of(2))
    {
        door.open.set(seed.is_multiple_of(4));
    }
    if let Ok(mut compass) = server.get_mut::<Compass>(id) {
        compass.heading.set(f32::from_bits(seed));
    }
    if let Ok(mut score) = server.get_mut::<Score>(id) {
        score.points.add(seed % 7);
    }
    if let Some(mut volley) = server
        .get_mut::<Volley>(id)
        .ok()
        .filter(|_| seed.is_multiple_of(2))
    {
        volley.fire(seed);
    }
    if let Ok(mut hoard) = server.get_mut::<Hoard>(id) {
        hoard.gold.set(vec![1; (seed % 50) as usize]);
    }
    if let Some(mut chatter) = server
        .get_mut::<Chatter>(id)
        .ok()
        .filter(|_| seed.is_multiple_of(3))
    {
        chatter.text.set(seed.to_string());
    }
}

fn set_text(server: &mut NetworkServer, id: NetId, bytes: usize) {
    let text = "t".repeat(bytes);
    if let Ok(mut banner) = server.get_mut::<Banner>(id) {
        banner.text.set(text.clone());
    }
    if let Ok(mut chatter) = server.get_mut::<Chatter>(id) {
        chatter.text.set(text);
    }
}

fn fill(server: &mut NetworkServer, id: NetId, gold: usize, silver: usize) {
    if let Ok(mut hoard) = server.get_mut::<Hoard>(id) {
        hoard.gold.set(vec![2; gold]);
        hoard.silver.set(vec![3; silver]);
    }
}

/// Both servers, and what is there.
struct World {
    twins: Twins,
    objects: Vec<NetId>,
}

impl World {
    fn new(packet_size: usize, parallel_from: usize) -> Self {
        Self {
            twins: twins::twins(packet_size, parallel_from),
            objects: Vec::new(),
        }
    }

    fn object(&self, choice: usize) -> NetId {
        let place = choice % self.objects.len().max(1);
        self.objects.get(place).copied().unwrap_or(NetId(9999))
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Spawn {
                kind,
                count,
                hidden,
            } => {
                for _ in 0..count {
                    let id = self.twins.both(|server| spawn(server, kind, hidden));
                    self.objects.push(id);
                }
            }
            Action::Despawn(step) => {
                let gone: Vec<_> = self.objects.iter().step_by(step).copied().collect();
                for id in &gone {
                    self.twins.both(|server| server.despawn(*id)).ok();
                }
                self.objects.retain(|id| !gone.contains(id));
            }
            Action::Change { first, count, seed } => {
                for place in 0..count {
                    let id = self.object(first.wrapping_add(place));
                    let number = u32::try_from(place).expect("a small number");
                    let seed = seed.rotate_left(number) ^ number;
                    self.twins.both(|server| change(server, id, seed));
                }
            }
            Action::SetText(choice, bytes) => {
                for id in [self.object(choice), self.object(choice.wrapping_add(1))] {
                    self.twins.both(|server| set_text(server, id, bytes));
                }
            }
            Action::Fill(choice, gold, silver) => {
                let id = self.object(choice);
                self.twins.both(|server| fill(server, id, gold, silver));
            }
            Action::Tick(millis) => {
                twins::tick(&mut self.twins, Duration::from_millis(millis.into()));
            }
            other => self.act_on_sight(&other),
        }
    }

    fn act_on_sight(&mut self, action: &Action) {
        match *action {
            Action::Show(object, client) => {
                let (id, connection) = (self.object(object), self.twins.connection(client));
                self.twins.both(|server| server.show(id, connection)).ok();
            }
            Action::Hide(object, client) => {
                let (id, connection) = (self.object(object), self.twins.connection(client));
                self.twins.both(|server| server.hide(id, connection)).ok();
            }
            Action::HideFromAll(object) => {
                let id = self.object(object);
                self.twins.both(|server| server.hide_from_all(id)).ok();
            }
            Action::SetOwner(object, client) => {
                let (id, owner) = (self.object(object), self.twins.connection(client));
                self.twins
                    .both(|server| server.set_owner(id, Some(owner)))
                    .ok();
            }
            Action::Move(object, x) => {
                let (id, position) = (self.object(object), Vector3::new(x.into(), 0.0, 0.0));
                self.twins
                    .both(|server| server.set_transform(id, position, Quaternion::IDENTITY))
                    .ok();
            }
            Action::Watch(client, x) => {
                let connection = self.twins.connection(client);
                let position = Vector3::new(x.into(), 0.0, 0.0);
                self.twins.both(|server| {
                    let grid = server.interest_mut::<SpatialGrid>().expect("a grid");
                    grid.watch(connection, position).unwrap_or_default();
                });
            }
            ref other => self.act_on_clients(other),
        }
    }

    fn act_on_clients(&mut self, action: &Action) {
        match *action {
            Action::Join(true) => twins::join(&mut self.twins, Framing::Unet),
            Action::Join(false) => twins::join(&mut self.twins, Framing::Compact),
            Action::Leave(client) => self.twins.leave(client),
            Action::SetReady(client, true) => {
                let connection = self.twins.connection(client);
                self.twins.both(|server| server.set_ready(connection));
            }
            Action::SetReady(client, false) => {
                let connection = self.twins.connection(client);
                self.twins.both(|server| server.set_not_ready(connection));
            }
            Action::SetBudget(client, bytes) => {
                let connection = self.twins.connection(client);
                let budget = bytes.map(Budget::new);
                self.twins
                    .both(|server| server.set_budget(connection, budget))
                    .ok();
            }
            Action::SetPriority(object, priority) => {
                let id = self.object(object);
                self.twins
                    .both(|server| server.set_priority(id, priority))
                    .ok();
            }
            _ => unreachable!("the others are done"),
        }
    }
}

proptest! {
    #[test]
    fn threads_write_the_bytes_of_one_thread(
        actions in prop::collection::vec(action(), 1..150),
        dialects in prop::collection::vec(any::<bool>(), 1..4),
        packet_size in prop_oneof![Just(0_usize), 30..400_usize],
        parallel_from in 1..5_usize,
    ) {
        let mut world = World::new(packet_size, parallel_from);
        for unet in dialects {
            world.act(Action::Join(unet));
        }
        for kind in 0..7 {
            world.act(Action::Spawn { kind, count: 10, hidden: false });
        }
        world.act(Action::Tick(10));
        for action in actions {
            world.act(action);
        }
        world.act(Action::Tick(1000));
    }
}

/// What a thread writes is several messages by itself then, and an object is larger than a packet.
#[test]
fn threads_write_equal_bytes_for_overfull_messages() {
    for packet_size in [0, 100, 1340, 70_000] {
        for dialects in [&[true][..], &[false], &[true, false]] {
            let mut world = World::new(packet_size, 1);
            for unet in dialects {
                world.act(Action::Join(*unet));
            }
            for count in [200, 200, 200] {
                let (kind, hidden) = (3, false);
                world.act(Action::Spawn {
                    kind,
                    count,
                    hidden,
                });
            }
            world.act(Action::Tick(10));
            for (place, bytes) in (0..600).zip([40, 5, 0, 900, 6, 7].iter().cycle()) {
                world.act(Action::SetText(place, *bytes));
            }
            world.act(Action::Tick(10));
            world.act(Action::Despawn(3));
            let (kind, count, hidden) = (3, 150, false);
            world.act(Action::Spawn {
                kind,
                count,
                hidden,
            });
            world.act(Action::Tick(10));
            for place in 0..500 {
                world.act(Action::SetText(place, place));
            }
            world.act(Action::Tick(10));
        }
    }
}

/// Long messages, refused ones and short ones that are nearly long, next to each other in every way.
#[test]
fn so_they_do_where_a_message_is_longer_than_its_short_form() {
    let fills = [
        (9, 0),
        (65_526, 0),
        (65_535, 20_000),
        (1, 1),
        (65_528, 0),
        (65_535, 60_000),
    ];
    for packet_size in [0, 100, 1340, 70_000, 300_000] {
        for dialects in [&[false][..], &[true, false]] {
            let mut world = World::new(packet_size, 1);
            for unet in dialects {
                world.act(Action::Join(*unet));
            }
            let (kind, count, hidden) = (5, 60, false);
            world.act(Action::Spawn {
                kind,
                count,
                hidden,
            });
            world.act(Action::Tick(10));
            world.act(Action::SetBudget(0, Some(100_000)));
            for shift in 0..3 {
                let fills = fills.iter().cycle().skip(shift);
                for (place, (gold, silver)) in (0..60).zip(fills) {
                    world.act(Action::Fill(place, *gold, *silver));
                }
                world.act(Action::Tick(10));
            }
            world.act(Action::SetBudget(0, None));
            world.act(Action::Tick(10));
            world.act(Action::Join(false));
        }
    }
}
