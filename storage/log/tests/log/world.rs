//! A random world of cars and balls, and its state as text.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Cursor;
use std::time::Duration;

use syncvar::NetworkIdentity;
use syncvar::log::{LogEntry, LogHeader, LogWriter, Marker};
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::untyped::{UntypedBehaviour, Value};

/// One tick at 30 ticks a second, in whole microseconds as the time of a record.
pub(crate) const TICK: Duration = Duration::from_micros(33_334);

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Car {
    #[sync_var(hook = on_lap_changed)]
    pub(crate) lap: SyncVar<u32>,
    #[sync_var]
    pub(crate) place: SyncVar<Vector3>,
    #[sync_var]
    pub(crate) stickers: SyncList<String>,
    /// Number of hooks.
    pub(crate) cheers: u32,
    /// Number of calls.
    pub(crate) horns: u32,
}

#[network_calls]
impl Car {
    #[client_rpc]
    pub(crate) fn honk(&mut self) {
        self.horns += 1;
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Ball {
    #[sync_var]
    pub(crate) speed: SyncVar<f32>,
}

pub(crate) fn prefabs() -> Prefabs {
    let prefabs = Prefabs::new().register::<Car>("car");
    prefabs
        .register::<(Car, Ball)>("stunt car")
        .register::<Ball>("ball")
}

impl Car {
    fn on_lap_changed(&mut self, _previous: u32) {
        self.cheers += 1;
    }
}

/// Fields of each object, as text.
pub(crate) type State = BTreeMap<NetId, Vec<String>>;

/// Server of a random world.
pub(crate) struct World {
    pub(crate) server: NetworkServer,
    pub(crate) now: Duration,
    random: Random,
    ids: Vec<NetId>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut server = NetworkServer::new(prefabs());
        server.start_recording();
        let (now, random) = (Duration::from_secs(10), Random::new(seed));
        let ids = Vec::new();
        Self {
            server,
            now,
            random,
            ids,
        }
    }

    /// Changes the world, and runs an update.
    pub(crate) fn tick(&mut self) {
        for _ in 0..self.random.below(4) {
            self.change();
        }
        self.now += TICK;
        self.server.update(self.now);
    }

    fn change(&mut self) {
        let (random, server) = (&mut self.random, &mut self.server);
        if self.ids.len() < 4 || random.chance(100) {
            let id = match random.below(3) {
                0 => server.spawn(Car::default()),
                1 => server.spawn((Car::default(), Ball::default())),
                _ => server.spawn(Ball::default()),
            };
            self.ids.push(id);
            return;
        }
        let index = random.below(u32::try_from(self.ids.len()).unwrap()) as usize;
        let id = self.ids[index];
        if random.chance(80) {
            self.ids.swap_remove(index);
            server.despawn(id).unwrap();
            return;
        }
        if let Ok(mut ball) = server.get_mut::<Ball>(id) {
            ball.speed.set(random.between(0.0, 9.0));
        }
        if let Ok(mut car) = server.get_mut::<Car>(id) {
            *car.lap += 1;
            car.place
                .set(Vector3::new(random.between(-5.0, 5.0), 0.0, 1.5));
            match random.below(3) {
                0 => car.stickers.push(format!("sticker {}", random.below(9))),
                1 => car.stickers.clear(),
                _ => {}
            }
        }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = NetId> {
        self.ids.iter().copied()
    }

    pub(crate) fn state(&self) -> State {
        typed(
            &self.ids,
            |id| self.server.get::<Car>(id),
            |id| self.server.get::<Ball>(id),
        )
    }
}

/// Returns the state of a client of compiled types.
pub(crate) fn state(client: &NetworkClient) -> State {
    let ids: Vec<_> = client.identities().map(NetworkIdentity::net_id).collect();
    typed(
        &ids,
        |id| client.get::<Car>(id),
        |id| client.get::<Ball>(id),
    )
}

fn typed<'a>(
    ids: &[NetId],
    car: impl Fn(NetId) -> Option<&'a Car>,
    ball: impl Fn(NetId) -> Option<&'a Ball>,
) -> State {
    let fields = |id: NetId| {
        let mut fields = Vec::new();
        if let Some(car) = car(id) {
            let [x, y, z] = [car.place.x, car.place.y, car.place.z].map(f64::from);
            fields.push(format!("lap {}", *car.lap));
            fields.push(format!("place {x:?} {y:?} {z:?}"));
            fields.push(format!(
                "stickers {:?}",
                car.stickers.iter().collect::<Vec<_>>()
            ));
        }
        if let Some(ball) = ball(id) {
            fields.push(format!("speed {:?}", f64::from(*ball.speed)));
        }
        fields
    };
    ids.iter().map(|id| (*id, fields(*id))).collect()
}

/// Returns the state of a client without compiled types.
pub(crate) fn untyped_state(client: &NetworkClient) -> State {
    let ids = client.identities().map(NetworkIdentity::net_id);
    let fields = |id| {
        let fields = client
            .untyped_behaviours(id)
            .flat_map(UntypedBehaviour::fields);
        fields.map(|(name, value)| untyped(name, value)).collect()
    };
    ids.map(|id| (id, fields(id))).collect()
}

fn untyped(name: &str, value: &Value) -> String {
    match name {
        "place" => {
            let Value::Struct(members) = value else {
                panic!("{value:?}");
            };
            let members = members.iter().map(|(_, value)| value.to_string());
            format!("place {}", members.collect::<Vec<_>>().join(" "))
        }
        _ => format!("{name} {value}"),
    }
}

/// A file, and the state behind each of its records.
pub(crate) struct Recorded {
    pub(crate) file: Vec<u8>,
    pub(crate) states: Vec<(Duration, State)>,
}

impl Recorded {
    /// Records a world of a number of ticks, with a keyframe and a marker after some.
    pub(crate) fn new(seed: u64, ticks: u32, keyframes: u32) -> Self {
        let mut world = World::new(seed);
        let mut writer = LogWriter::new(&LogHeader::of(&world.server)).unwrap();
        let (mut last, mut states) = (0, Vec::new());
        for tick in 0..ticks {
            let has_keyframe = tick % keyframes == 0;
            if has_keyframe {
                world.server.request_keyframe();
            }
            world.tick();
            for record in world.server.records_after(last) {
                if record.is_keyframe() && tick > 0 {
                    let marker = Marker::new(record.time(), record.tick(), "lap", tick.into());
                    writer.mark(&[marker]).unwrap();
                }
                writer.push(&LogEntry::from(record)).unwrap();
                last = record.seq();
            }
            states.push((world.server.now(), world.state()));
        }
        let file = writer.finish().unwrap();
        Self { file, states }
    }

    pub(crate) fn cursor(&self) -> Cursor<Vec<u8>> {
        Cursor::new(self.file.clone())
    }

    /// Returns the state at a time.
    pub(crate) fn at(&self, time: Duration) -> &State {
        let behind = self.states.partition_point(|(at, _)| *at <= time);
        &self.states[behind.saturating_sub(1)].1
    }
}

/// Returns the message of an error.
pub(crate) fn message<T: Debug, E: ToString>(result: Result<T, E>) -> String {
    result.map_or_else(|error| error.to_string(), |value| panic!("{value:?}"))
}
