//! `ZoneStage`: zones, standbys and a sender of commands in virtual time, with an oracle.
//!
//! The oracle knows the promises of the page "Zones" of the guide: one real copy, no lost write, each command once, all state
//! moves along.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use syncvar::NetworkIdentity;
use syncvar::prelude::*;
use syncvar::saving::Save;
use syncvar_fleet::memory::{MemoryCarrier, MemoryFleet};
use syncvar_fleet::zone::{ClientId, CommandSender, VoterId, Zone, ZoneId};
use syncvar_fleet::{Carrier, NodeId, Role};

use crate::zone_world::{Pulse, Timers, WIDTH, Walker, left, prefabs, regions, zone_config};

pub(crate) const TICK: Duration = Duration::from_millis(33);
const CLIENT: ClientId = ClientId(77);

/// A process of a zone.
pub(crate) struct Process {
    pub(crate) zone: Zone,
    pub(crate) carrier: MemoryCarrier,
    pub(crate) program: Timers,
    pub(crate) is_stalled: bool,
    pub(crate) has_vote: bool,
}

/// State that every copy of an object has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    pub(crate) writes: u32,
    pub(crate) commands: u32,
    pub(crate) direction: f32,
}

pub(crate) struct ZoneStage {
    pub(crate) fleet: MemoryFleet,
    pub(crate) now: Duration,
    pub(crate) zones: u32,
    pub(crate) processes: Vec<Process>,
    pub(crate) sender: CommandSender,
    pub(crate) sender_node: MemoryCarrier,
    /// Written journals.
    pub(crate) journals: BTreeMap<ZoneId, Save>,
    pub(crate) objects: BTreeMap<NetId, Known>,
    /// Zone of each epoch of an object.
    epochs: BTreeMap<(NetId, u64), ZoneId>,
    pub(crate) sent: BTreeMap<NetId, u32>,
    starts: u64,
    pub(crate) handovers: usize,
    /// Nodes that every process is connected to.
    pub(crate) guests: Vec<NodeId>,
}

impl ZoneStage {
    /// Starts zones with a voter each.
    pub(crate) fn new(seed: u64, zones: u32) -> Self {
        let fleet = MemoryFleet::new(seed);
        let sender_node = fleet.node(Role::Gateway, "");
        let mut stage = Self {
            fleet,
            now: Duration::ZERO,
            zones,
            processes: Vec::new(),
            sender: CommandSender::default(),
            sender_node,
            journals: BTreeMap::new(),
            objects: BTreeMap::new(),
            epochs: BTreeMap::new(),
            sent: BTreeMap::new(),
            starts: 0,
            handovers: 0,
            guests: Vec::new(),
        };
        for zone in 1..=zones {
            stage.start(ZoneId(zone), true);
        }
        stage
    }

    /// Starts a process of a zone. A standby has no vote.
    pub(crate) fn start(&mut self, zone: ZoneId, has_vote: bool) {
        self.starts += 1;
        let mut config = zone_config(zone, self.zones, self.starts);
        config.voter = has_vote.then_some(VoterId(zone.0));
        let carrier = self.fleet.node(Role::Zone, "");
        let others = self.processes.iter().map(|it| it.carrier.id());
        let others = others.chain([self.sender_node.id()]);
        let others: Vec<NodeId> = others.chain(self.guests.iter().copied()).collect();
        for other in others {
            self.fleet.connect(carrier.id(), other);
        }
        self.processes.push(Process {
            zone: Zone::new(config, prefabs, regions(self.zones)).expect("a zone"),
            carrier,
            program: Timers::default(),
            is_stalled: false,
            has_vote,
        });
    }

    pub(crate) fn stall(&mut self, place: usize, is_stalled: bool) {
        let process = &mut self.processes[place];
        process.is_stalled = is_stalled;
        self.fleet.stall(process.carrier.id(), is_stalled);
    }

    /// Ends a process, and starts it again. Its journal stays.
    pub(crate) fn restart(&mut self, place: usize) {
        let process = self.processes.remove(place);
        self.fleet.crash(process.carrier.id());
        self.start(process.zone.id(), process.has_vote);
    }

    /// Ends a process. Its journal stays.
    pub(crate) fn crash(&mut self, place: usize) -> ZoneId {
        let process = self.processes.remove(place);
        self.fleet.crash(process.carrier.id());
        process.zone.id()
    }

    pub(crate) fn run(&mut self, ticks: u32) {
        for _ in 0..ticks {
            self.step();
        }
    }

    pub(crate) fn step(&mut self) {
        self.step_and_tear(None);
    }

    /// Runs a tick. The process at `torn` ends between its update and the write of its journal.
    pub(crate) fn step_and_tear(&mut self, torn: Option<usize>) {
        self.now += TICK;
        self.fleet.update(self.now);
        let now = self.now;
        while let Some(event) = self.sender_node.poll() {
            self.sender.take_event(&mut self.sender_node, event, now);
        }
        self.sender.update(&mut self.sender_node, now);
        for place in 0..self.processes.len() {
            if !self.processes[place].is_stalled {
                self.run_process(place, torn == Some(place));
            }
        }
        self.check_uniqueness();
    }

    fn run_process(&mut self, place: usize, is_torn: bool) {
        let now = self.now;
        let process = &mut self.processes[place];
        process
            .zone
            .receive(&mut process.carrier, now, &mut process.program);
        if process.zone.is_elected() {
            self.begin(place);
        }
        self.play(place);
        let process = &mut self.processes[place];
        let written: Vec<_> = { process.zone.server().identities() }
            .map(|identity| {
                let object = identity.net_id();
                let walker = process
                    .zone
                    .server()
                    .get::<Walker>(object)
                    .expect("a walker");
                (object, *walker.writes, *walker.commands)
            })
            .collect();
        let is_active = process.zone.update(now, &mut process.program);
        if is_torn {
            return;
        }
        let zone = process.zone.id();
        while let Some(record) = process.zone.poll_journal() {
            let journal = self.journals.get_mut(&zone).expect("a journal");
            journal.push(record).expect("one writer of a journal");
        }
        for (object, writes, commands) in written.into_iter().filter(|_| is_active) {
            let known = self.objects.get_mut(&object).expect("a known object");
            (known.writes, known.commands) = (writes, commands);
        }
        process.zone.transmit(&mut process.carrier, now);
        while process.zone.poll_event().is_some() {}
    }

    /// Loads the journal of an elected process.
    fn begin(&mut self, place: usize) {
        let process = &mut self.processes[place];
        let zone = process.zone.id();
        match self.journals.get(&zone) {
            Some(save) => process.zone.load(save).expect("a state"),
            None => process.zone.begin_empty().expect("an incarnation"),
        }
        let save = process.zone.start_journal().expect("a state");
        self.journals.insert(zone, save);
        // The program's own state is not in the journal: it is made again.
        for identity in process.zone.server().identities() {
            let secret = process.zone.server().get::<Walker>(identity.net_id());
            let secret = *secret.expect("a walker").secret;
            process.program.0.insert(identity.net_id(), secret + 1);
        }
    }

    /// Adds walkers to a zone that is active.
    pub(crate) fn spawn(&mut self, place: usize, count: u16) {
        let process = &mut self.processes[place];
        let low = left(process.zone.id());
        let server = process.zone.server_mut().expect("an active zone");
        for number in 0..count {
            let x = low + 10.0 + 80.0 / f32::from(count) * f32::from(number);
            let walker = server.spawn((Walker::at(x), Pulse::default()));
            let secret = u64::from(walker.0) * 7;
            server
                .get_mut::<Walker>(walker)
                .expect("a walker")
                .secret
                .set(secret);
            server
                .give_to_player(walker, format!("player {walker}"))
                .expect("an object");
            process.program.0.insert(walker, secret + 1);
            let direction = if number % 2 == 0 { 1.5 } else { -1.5 };
            let known = Known {
                direction,
                ..Known::default()
            };
            self.objects.insert(walker, known);
        }
    }

    /// Runs the program of a zone: commands, then a step of each object.
    fn play(&mut self, place: usize) {
        let process = &mut self.processes[place];
        let zone = process.zone.id();
        while let Some(command) = process.zone.poll_command() {
            let number = u32::from_le_bytes(command.command[..].try_into().expect("4 bytes"));
            let server = process.zone.server_mut().expect("an active zone");
            let mut walker = server
                .get_mut::<Walker>(command.object)
                .expect("the object");
            assert_eq!(number, *walker.commands + 1, "each command once, in order");
            walker.commands.set(number);
        }
        let right = left(ZoneId(self.zones + 1));
        let Some(server) = process.zone.server_mut() else {
            return;
        };
        let objects: Vec<NetId> = server.identities().map(NetworkIdentity::net_id).collect();
        for object in objects {
            let known = self.objects.get_mut(&object).expect("a known object");
            let player = server.player_of(object).expect("a player");
            assert_eq!(player, format!("player {object}"), "the player moves along");
            let mut walker = server.get_mut::<Walker>(object).expect("a walker");
            assert_eq!(*walker.writes, known.writes, "no write of {object} is lost");
            assert_eq!(*walker.secret, u64::from(object.0) * 7, "all fields move");
            walker.writes += 1;
            if *walker.writes % 8 == 0 {
                let writes = *walker.writes;
                walker.trail.push(writes);
                if walker.trail.len() > 4 {
                    walker.trail.remove(0);
                }
            }
            if (*walker.x <= 0.0 && known.direction < 0.0)
                || (*walker.x >= right && known.direction > 0.0)
            {
                known.direction = -known.direction;
            }
            walker.x += known.direction;
            let writes = *walker.writes;
            drop(walker);
            let pulse = server.get_mut::<Pulse>(object);
            pulse.expect("a pulse").beats.set(writes);
            assert!(
                process.program.0.contains_key(&object),
                "the timer of {object}"
            );
        }
        for object in process
            .zone
            .server()
            .identities()
            .map(NetworkIdentity::net_id)
        {
            let epoch = process.zone.epoch(object).expect("a real object");
            let known = self.epochs.insert((object, epoch), zone);
            assert!(
                known.is_none_or(|it| it == zone),
                "{object}: two zones of epoch {epoch}"
            );
            self.handovers += usize::from(known.is_none() && epoch > 1);
        }
    }

    /// Checks that no object is real in two active processes.
    fn check_uniqueness(&self) {
        let mut real = BTreeMap::new();
        for process in self
            .processes
            .iter()
            .filter(|it| !it.is_stalled && it.zone.is_active())
        {
            for identity in process.zone.server().identities() {
                let former = real.insert(identity.net_id(), process.zone.id());
                assert_eq!(former, None, "two real copies of {}", identity.net_id());
            }
        }
    }

    /// Sends a command to an object.
    pub(crate) fn command(&mut self, object: NetId) {
        let number = self.sent.entry(object).or_default();
        *number += 1;
        let bytes = number.to_le_bytes().to_vec();
        self.sender.send(CLIENT, object, bytes);
    }

    /// Returns the process with the real copy of an object.
    pub(crate) fn real(&self, object: NetId) -> Option<&Process> {
        let mut active = self.processes.iter().filter(|it| it.zone.is_active());
        active.find(|it| it.zone.server().identity(object).is_some())
    }

    /// Checks the promises for a fleet at rest: every zone has a process, and nothing is lost.
    pub(crate) fn check(&mut self) {
        // Nothing moves: the last records arrive.
        for known in self.objects.values_mut() {
            known.direction = 0.0;
        }
        for _ in 0..60 {
            self.step();
        }
        let pending = self.sender.pending();
        assert_eq!(
            pending,
            0,
            "all commands are acknowledged: {}",
            self.describe()
        );
        for (object, known) in &self.objects {
            let process = self.real(*object);
            let process =
                process.unwrap_or_else(|| panic!("object {object} is lost: {}", self.describe()));
            let walker = process
                .zone
                .server()
                .get::<Walker>(*object)
                .expect("a walker");
            let sent = self.sent.get(object).copied().unwrap_or_default();
            assert_eq!((*walker.commands, known.commands), (sent, sent), "{object}");
            self.check_ghosts(*object, process, walker);
        }
    }

    /// Returns the processes with their objects.
    fn describe(&self) -> String {
        let mut text = format!("{:?}", self.sender);
        for process in &self.processes {
            let zone = &process.zone;
            let (objects, ghosts) = (
                zone.server().identities().map(NetworkIdentity::net_id),
                zone.ghosts(),
            );
            let state = (zone.is_active(), zone.is_superseded(), zone.is_elected());
            let (objects, ghosts): (Vec<_>, Vec<_>) = (objects.collect(), ghosts.collect());
            let _ = write!(
                text,
                "\n{} {:?} {state:?} {objects:?} ghosts {ghosts:?}",
                zone.id(),
                process.carrier.id()
            );
        }
        text
    }

    /// Checks that exactly the neighbours near an object have its ghost, with its state of the last records.
    fn check_ghosts(&self, object: NetId, process: &Process, walker: &Walker) {
        for other in self.processes.iter().filter(|it| it.zone.is_active()) {
            let low = left(other.zone.id());
            let distance = (low - *walker.x).max(*walker.x - low - WIDTH);
            let is_near = distance <= 15.0 && other.zone.id() != process.zone.id();
            let ghost = other.zone.ghost::<Walker>(object);
            assert_eq!(ghost.is_some(), is_near, "{object} in {}", other.zone.id());
            if let Some(ghost) = ghost {
                assert_eq!(ghost.x.to_bits(), walker.x.to_bits());
                let behind = *walker.writes - *ghost.writes;
                // A send interval of 3 ticks, and the way.
                assert!(behind <= 5, "{object} is {behind} ticks behind");
                assert_eq!(*ghost.secret, 0, "a field of the owner stays in the zone");
            }
        }
    }
}
