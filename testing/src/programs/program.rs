//! Programs: conditions and steps from a seed.

use std::time::Duration;

use syncvar::limits::LossSettings;
use syncvar::testing::Random;
use syncvar::{ClientConfig, PacketLimits, ServerConfig};

use super::world::{FIRST, KINDS};

/// Most objects that a program spawns at a time.
pub(super) const SLOTS: usize = 4;

/// Groups of a program.
pub(super) const GROUPS: u64 = 2;

/// One step. Clients and objects are positions; a step that is impossible at its time is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Runs every loop so many times.
    Run(u32),
    /// Updates the server once more in the same tick.
    UpdateAgain,
    /// Spawns an object of a prefab, perhaps with an owner, perhaps hidden.
    Spawn(usize, usize, Option<usize>, bool),
    /// Removes an object.
    Despawn(usize),
    /// Writes fields of a behaviour on the server, a bit each.
    Write(usize, usize, u16),
    /// Writes fields of a behaviour on a client that owns the object, a bit each.
    WriteOwned(usize, usize, usize, u16),
    /// Shows an object to a client.
    Show(usize, usize),
    /// Hides an object from a client.
    Hide(usize, usize),
    /// Gives an object to a client, or takes it from its owner.
    Own(usize, Option<usize>),
    /// Gives an object a group, or takes it from its group.
    Group(usize, Option<u64>),
    /// Lets a client join a group.
    Join(usize, u64),
    /// Lets a client leave a group.
    Leave(usize, u64),
    /// Calls all clients: reliably, by datagram.
    Call(bool),
    /// Writes a field and calls all clients after the state: on a reliable or unreliable channel.
    CallAfter(bool),
    /// Calls the server: reliably, by datagram.
    Command(usize, bool),
    /// Sets the input of a client.
    Input(usize),
    /// Looks at the past values of an object as a client has seen them.
    Rewind(usize, usize),
    /// Stops the loop of a client for so many runs.
    StallClient(usize, u32),
    /// Stops the loop of the server for so many runs.
    StallServer(u32),
    /// Delays the link of a client for a moment, in milliseconds.
    Spike(usize, u64),
    /// Loses all datagrams of a client for so many runs.
    Tunnel(usize, u32),
    /// Cuts the link of a client.
    Cut(usize),
    /// Connects a client without a link again.
    Connect(usize),
    /// Ends the connection of a client by a goodbye.
    Goodbye(usize),
    /// Sends a client to the lobby.
    NotReady(usize),
    /// Lets a client return from the lobby.
    Ready(usize),
}

/// Conditions of the links: times in milliseconds, rates in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Delay of a packet.
    pub delay: u64,
    /// Most additional delay: datagrams overtake earlier datagrams.
    pub jitter: u64,
    /// Lost packets; the stream repeats its own.
    pub loss: u32,
    /// Repeated datagrams.
    pub duplicates: u32,
}

/// Limits of both ends.
#[derive(Clone, Copy, Debug)]
pub struct Tightness {
    /// Sent packets whose fates are kept; 0 for the default.
    pub ring: usize,
    /// Ticks after which an undecided packet is lost; 0 for the default.
    pub record_ticks: u32,
    /// Bytes of repairs in an update; 0 for the default.
    pub repair_bytes: usize,
    /// Packets that wait at a client; 0 for the default.
    pub held: usize,
    /// Size of packets; 0 for the default.
    pub packet_size: usize,
    /// Budget of the first client; 0 for none.
    pub budget: usize,
}

/// Conditions of a program.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Seed of the links.
    pub seed: u64,
    /// Number of clients.
    pub clients: usize,
    /// Clients with datagrams, a bit each.
    pub datagrams: u8,
    /// Conditions of the links.
    pub conditions: Conditions,
    /// Limits of both ends.
    pub tightness: Tightness,
    /// Time of a run of the loops.
    pub interval: Duration,
    /// Bytes that both ends keep for a return; `None` without sessions.
    pub resume_bytes: Option<usize>,
    /// Time for the packets of a tick, in milliseconds; `None` for the default.
    pub gather: Option<u64>,
    /// Whether clients send inputs.
    pub has_inputs: bool,
    /// Whether the server has a local client.
    pub is_host: bool,
}

fn of<T: Copy>(random: &mut Random, values: &[T]) -> T {
    *random.pick(values).expect("values")
}

fn index(random: &mut Random, limit: usize) -> usize {
    random.below(u32::try_from(limit).unwrap_or(1)) as usize
}

impl Tightness {
    const NONE: Self = Self {
        ring: 0,
        record_ticks: 0,
        repair_bytes: 0,
        held: 0,
        packet_size: 0,
        budget: 0,
    };

    fn random(random: &mut Random) -> Self {
        Self {
            ring: of(random, &[0, 6, 16]),
            record_ticks: of(random, &[0, 10, 20]),
            repair_bytes: of(random, &[0, 8, 100]),
            held: of(random, &[0, 2, 8]),
            packet_size: of(random, &[0, 64, 200]),
            budget: of(random, &[0, 0, 20, 200]),
        }
    }

    fn loss(&self) -> LossSettings {
        let mut loss = LossSettings::default();
        if self.ring > 0 {
            loss.ring = self.ring;
        }
        if self.record_ticks > 0 {
            loss.record_ticks = self.record_ticks;
            loss.record_time = Duration::ZERO;
        }
        if self.repair_bytes > 0 {
            loss.repair_bytes = self.repair_bytes;
        }
        if self.held > 0 {
            loss.max_held_packets = self.held;
        }
        loss
    }
}

impl Setup {
    /// Returns the conditions and the steps of a seed.
    #[must_use]
    pub fn random(seed: u64) -> (Self, Vec<Step>) {
        let random = &mut Random::new(seed);
        let loss = of(random, &[0, 0, 5, 20, 50]);
        let setup = Self {
            seed,
            clients: 1 + index(random, 4),
            datagrams: of(random, &[0b1111, 0b1111, 0b0111, 0b1101, 0]),
            conditions: Conditions {
                delay: of(random, &[0, 20, 60, 150]),
                jitter: of(random, &[0, 0, 30, 100]),
                loss,
                duplicates: of(random, &[0, 0, 10]),
            },
            tightness: if random.chance(400) {
                Tightness::random(random)
            } else {
                Tightness::NONE
            },
            interval: Duration::from_micros(of(random, &[33_334, 33_334, 16_667, 50_000])),
            resume_bytes: of(random, &[None, Some(1 << 18), Some(1 << 18), Some(60)]),
            gather: of(random, &[None, None, Some(0), Some(100)]),
            has_inputs: random.chance(250),
            is_host: random.chance(100),
        };
        let count = 20 + index(random, 100);
        let mut steps: Vec<_> = (0..2).map(|slot| setup.spawn(random, slot)).collect();
        while steps.len() < count {
            if random.chance(150) {
                setup.change_role(random, &mut steps);
            }
            let step = setup.step(random);
            steps.push(step);
            if random.chance(500) {
                steps.push(Step::Run(1 + random.below(3)));
            }
        }
        (setup, steps)
    }

    fn spawn(&self, random: &mut Random, slot: usize) -> Step {
        let owner = random.chance(500).then(|| index(random, self.clients));
        Step::Spawn(
            slot,
            FIRST + index(random, KINDS.len() - FIRST),
            owner,
            random.chance(200),
        )
    }

    /// Changes the fields that a client reads, between writes and updates of the same moment.
    fn change_role(&self, random: &mut Random, steps: &mut Vec<Step>) {
        let (client, object) = (index(random, self.clients), index(random, SLOTS));
        let group = random.number() % GROUPS;
        let change = of(
            random,
            &[
                Step::Own(object, None),
                Step::Own(object, Some(client)),
                Step::Group(object, None),
                Step::Group(object, Some(group)),
                Step::Join(client, group),
                Step::Leave(client, group),
                Step::Hide(object, client),
                Step::Show(object, client),
            ],
        );
        let (part, fields) = (index(random, 2), random.number() as u16);
        let write = Step::Write(object, part, fields);
        let run = of(random, &[Step::Run(1), Step::UpdateAgain, Step::Run(0)]);
        let last = of(random, &[Step::Run(1), Step::UpdateAgain]);
        steps.extend([write, Step::Run(1), write, run, change, write, last]);
    }

    fn step(&self, random: &mut Random) -> Step {
        let client = index(random, self.clients);
        let object = index(random, SLOTS);
        let fields = random.number() as u16;
        let few = fields & random.number() as u16;
        match random.below(100) {
            0..22 => Step::Write(object, index(random, 4), few),
            22..36 => Step::WriteOwned(client, object, index(random, 4), few),
            36..38 => self.spawn(random, object),
            38 => Step::Despawn(object),
            39..41 => Step::Show(object, client),
            41..43 => Step::Hide(object, client),
            43..47 => Step::Own(object, Some(client)),
            47..49 => Step::Own(object, None),
            49..51 => Step::Group(object, random.chance(700).then(|| random.number() % GROUPS)),
            51..54 => Step::Join(client, random.number() % GROUPS),
            54..56 => Step::Leave(client, random.number() % GROUPS),
            56..59 => Step::Call(random.chance(500)),
            59..63 => Step::CallAfter(random.chance(500)),
            63..66 => Step::Command(client, random.chance(500)),
            66..69 => Step::Input(client),
            69..71 => Step::Rewind(client, object),
            71..73 => Step::StallClient(client, 1 + random.below(40)),
            73 => Step::StallServer(1 + random.below(40)),
            74 => Step::Spike(client, 100 + random.number() % 900),
            75 => Step::Tunnel(client, 1 + random.below(40)),
            76 => Step::Cut(client),
            77..79 => Step::Connect(client),
            79 if random.chance(300) => Step::Goodbye(client),
            80 => Step::NotReady(client),
            81 => Step::Ready(client),
            82..86 => Step::UpdateAgain,
            86 => Step::Run(random.below(40)),
            _ => Step::Run(1),
        }
    }

    /// Returns the settings of the server.
    #[must_use]
    pub fn server_config(&self, tokens: fn() -> [u8; 16]) -> ServerConfig {
        let mut config = ServerConfig {
            loss: self.tightness.loss(),
            ..ServerConfig::default()
        };
        if self.tightness.packet_size > 0 {
            config.packet_size = self.tightness.packet_size;
        }
        if let Some(bytes) = self.resume_bytes {
            config.resume_bytes = bytes;
            config.reconnect_grace = Duration::from_secs(20);
            config.session_tokens = Some(tokens);
        }
        config
    }

    /// Returns the settings of the clients.
    #[must_use]
    pub fn client_config(&self) -> ClientConfig {
        let mut config = ClientConfig {
            loss: self.tightness.loss(),
            ..ClientConfig::default()
        };
        config.gather_time = self.gather.map(Duration::from_millis);
        if let Some(bytes) = self.resume_bytes {
            config.resume_bytes = bytes;
        }
        config
    }

    /// Returns the limits of the link of a client.
    pub(super) fn limits(&self, client: usize) -> PacketLimits {
        let datagrams = self.datagrams >> client & 1 == 1;
        PacketLimits {
            datagrams,
            ..PacketLimits::STREAM
        }
    }
}
