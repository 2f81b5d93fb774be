//! `Clients`: the clients of the server, each with its socket.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, Instant};

use syncvar::prelude::*;
use syncvar::quic::QuicClient;
use syncvar::tcp::{Reconnect, TransportOptions};
use syncvar::tls::Trust;
use syncvar::transport::Peer;
use syncvar::websocket::WebSocketClient;
use syncvar::{ClientConfig, DisconnectReason, NetworkIdentity};

use crate::process::Report;
use crate::world::{Build, First, Hooks, SPARKS, Second, UNITS};

/// Time between two frames of the clients.
const FRAME: Duration = Duration::from_millis(10);

/// Time between two writes of a client.
const WRITES: Duration = Duration::from_secs(1);

/// Clients in one loop.
pub(crate) struct Clients {
    players: Vec<Box<dyn Playing>>,
    begin: Instant,
    frame: u32,
    /// Set when the clients write no more.
    pub(crate) is_quiet: bool,
}

/// A client of any build.
trait Playing {
    fn play(&mut self, now: Duration, writes: bool) -> Result<(), String>;
    fn state(&self) -> &Progress;
    fn state_mut(&mut self) -> &mut Progress;
    /// Returns the number of the last tick.
    fn tick(&self) -> Option<u64>;
    /// Returns the first difference from the objects of the server.
    fn difference(&self, report: &Report) -> Option<String>;
    fn hooks(&self) -> Hooks;
    fn kind(&self) -> &'static str;
}

/// What a client has met.
#[derive(Clone, Debug, Default)]
struct Progress {
    is_ready: bool,
    returns: u32,
    despawned: Vec<NetId>,
    /// Last tick of the server that was killed.
    before: u64,
    /// Returns before the kill.
    returned: u32,
    /// Time from the kill to the next tick.
    after: Option<Duration>,
}

struct Player<B> {
    client: NetworkClient,
    peer: Peer,
    kind: &'static str,
    /// Object of the client.
    pawn: Option<NetId>,
    /// Last write to it since the last link broke. An earlier one may have been on its way.
    aim: Option<u32>,
    /// Time of the next write.
    writes: Duration,
    state: Progress,
    build: std::marker::PhantomData<B>,
}

impl Clients {
    /// Begins to connect clients: the first ones by QUIC, the rest by TCP and WebSocket in turn.
    pub(crate) fn connect(
        port: u16,
        count: usize,
        datagrams: usize,
        builds: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let mut clients = Vec::new();
        for number in 0..count {
            let kind = match number % 2 {
                _ if number < datagrams => "QUIC",
                0 => "TCP",
                _ => "WebSocket",
            };
            let player: Box<dyn Playing> = match number / 2 % builds {
                0 => Box::new(Player::<First>::connect(port, kind)?),
                _ => Box::new(Player::<Second>::connect(port, kind)?),
            };
            clients.push(player);
        }
        Ok(Self {
            players: clients,
            begin: Instant::now(),
            frame: 0,
            is_quiet: false,
        })
    }

    /// Plays a frame of all clients.
    fn step(&mut self) -> Result<(), String> {
        self.frame += 1;
        std::thread::sleep((self.frame * FRAME).saturating_sub(self.begin.elapsed()));
        // A late frame does not hurry the next ones.
        self.frame = self.frame.max(
            u32::try_from(self.begin.elapsed().as_millis() / FRAME.as_millis()).unwrap_or(u32::MAX),
        );
        let now = self.begin.elapsed();
        for client in &mut self.players {
            client.play(now, !self.is_quiet)?;
        }
        Ok(())
    }

    /// Plays for a time.
    pub(crate) fn run_for(&mut self, time: Duration) -> Result<(), Box<dyn Error>> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.step()?;
        }
        Ok(())
    }

    /// Plays until a condition holds.
    pub(crate) fn run_until(
        &mut self,
        limit: Duration,
        name: &str,
        mut holds: impl FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), Box<dyn Error>> {
        let end = Instant::now() + limit;
        loop {
            self.step()?;
            match holds(self) {
                Ok(()) => return Ok(()),
                Err(why) if Instant::now() > end => {
                    return Err(format!("not within {limit:?}: {name}; {why}").into());
                }
                Err(_) => {}
            }
        }
    }

    pub(crate) fn are_ready(&mut self) -> Result<(), String> {
        let waiting = self.players.iter().filter(|it| !it.state().is_ready);
        match waiting.count() {
            0 => Ok(()),
            count => Err(format!("{count} clients are not ready")),
        }
    }

    /// Notes the ticks before a kill.
    pub(crate) fn begin_restart(&mut self) {
        for client in &mut self.players {
            let before = client.tick().unwrap_or_default();
            let state = client.state_mut();
            (state.before, state.returned, state.after) = (before, state.returns, None);
        }
    }

    /// Notes the clients that have a tick of the server after the kill.
    pub(crate) fn have_ticked(&mut self, killed: Instant) -> Result<(), String> {
        let mut waiting = 0;
        for client in &mut self.players {
            let tick = client.tick().unwrap_or_default();
            let state = client.state_mut();
            if state.after.is_none() && state.returns > state.returned && tick > state.before {
                state.after = Some(killed.elapsed());
            }
            waiting += u32::from(state.after.is_none());
        }
        if waiting == 0 {
            Ok(())
        } else {
            Err(format!("{waiting} clients wait for a tick"))
        }
    }

    /// Returns the times to the next ticks, a line for each transport.
    pub(crate) fn times(&self) -> Vec<String> {
        let mut times = BTreeMap::<_, Vec<_>>::new();
        for client in &self.players {
            let after = client.state().after.map(|after| after.as_millis());
            times.entry(client.kind()).or_default().extend(after);
        }
        let line = |(kind, mut times): (&str, Vec<u128>)| {
            times.sort_unstable();
            let at = |part: usize| times[(times.len() - 1) * part / 100];
            format!(
                "{:>4} {kind:<9} {:>6} ms (p50) {:>6} ms (p99) {:>6} ms (last)",
                times.len(),
                at(50),
                at(99),
                at(100)
            )
        };
        times.into_iter().map(line).collect()
    }

    /// Compares all objects of all clients with those of the server.
    pub(crate) fn equal(&mut self, report: &Report) -> Result<(), String> {
        for (number, client) in self.players.iter().enumerate() {
            if let Some(difference) = client.difference(report) {
                return Err(format!("client {number}: {difference}"));
            }
        }
        Ok(())
    }

    /// Checks the events and hooks.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (number, client) in self.players.iter().enumerate() {
            let (state, hooks) = (client.state(), client.hooks());
            if !state.despawned.is_empty() || hooks.repeats > 0 {
                let (despawned, repeats) = (&state.despawned, hooks.repeats);
                return Err(format!(
                    "client {number}: despawned {despawned:?}, {repeats} repeated hooks"
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn returns(&self) -> u32 {
        self.players
            .iter()
            .map(|client| client.state().returns)
            .sum()
    }

    pub(crate) fn hooks(&self) -> u64 {
        self.players.iter().map(|client| client.hooks().runs).sum()
    }
}

impl<B: Build> Player<B> {
    fn connect(port: u16, kind: &'static str) -> Result<Self, Box<dyn Error>> {
        let client = NetworkClient::with_config(B::prefabs(), ClientConfig::default());
        let options = TransportOptions {
            connect_timeout: Duration::from_mins(1),
            handshake_timeout: Duration::from_mins(1),
            reconnect: Some(Reconnect {
                first_delay: Duration::from_millis(50),
                max_delay: Duration::from_millis(250),
                max_attempts: 1_000,
            }),
            ..TransportOptions::default()
        };
        let addr = format!("127.0.0.1:{port}");
        let peer = match kind {
            "QUIC" => {
                let trust = Trust::any_server_without_verification();
                QuicClient::new(&addr, trust).peer(&client, options)?
            }
            "TCP" => Peer::tcp(addr, &client, options)?,
            _ => WebSocketClient::new(&format!("ws://{addr}")).peer(&client, options)?,
        };
        Ok(Self {
            client,
            peer,
            kind,
            pawn: None,
            aim: None,
            writes: Duration::ZERO,
            state: Progress::default(),
            build: std::marker::PhantomData,
        })
    }

    /// Returns the fields of an object as those of the server's report.
    fn shown(&self, id: NetId, is_owner: bool) -> Option<String> {
        let unit = self.client.get::<B::Unit>(id)?;
        let (public, private) = B::shown(unit);
        let private = if is_owner { private } else { String::new() };
        let place = self.client.get::<B::Place>(id).map_or(0, B::place);
        Some(format!("{place} {public} {private}"))
    }
}

impl<B: Build> Playing for Player<B> {
    fn play(&mut self, now: Duration, writes: bool) -> Result<(), String> {
        if let Err(error) = self.peer.receive(&mut self.client, now)
            && self.peer.is_over()
        {
            return Err(format!("{}: {error}", self.kind));
        }
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::Ready => self.state.is_ready = true,
                ClientEvent::Disconnected { .. } => self.aim = None,
                ClientEvent::Returned { .. } => self.state.returns += 1,
                ClientEvent::OwnerChanged {
                    object,
                    owned: true,
                } => self.pawn = Some(object),
                ClientEvent::Despawned { object, .. } if object.0 < SPARKS => {
                    self.state.despawned.push(object);
                }
                ClientEvent::Poisoned { .. }
                | ClientEvent::SpawnFailed { .. }
                | ClientEvent::WriteRefused { .. } => {
                    return Err(format!("{}: {event:?}", self.kind));
                }
                // The next attempt follows.
                ClientEvent::Refused {
                    reason: DisconnectReason::ConnectionLost,
                } => {}
                ClientEvent::Refused { reason } => return Err(format!("{}: {reason}", self.kind)),
                ClientEvent::Connected if self.state.is_ready => {
                    return Err(format!("{}: the session is lost", self.kind));
                }
                _ => {}
            }
        }
        if let Some(pawn) = self.pawn.filter(|_| writes && now >= self.writes) {
            self.writes = now + WRITES;
            let aim = u32::try_from(now.as_millis()).unwrap_or(u32::MAX);
            let mut unit = self
                .client
                .get_mut::<B::Unit>(pawn)
                .map_err(|error| error.to_string())?;
            B::aim(&mut unit, aim);
            self.aim = Some(aim);
        }
        self.client.update(now);
        self.peer.transmit(&mut self.client, now);
        Ok(())
    }

    fn kind(&self) -> &'static str {
        self.kind
    }

    fn state(&self) -> &Progress {
        &self.state
    }

    fn state_mut(&mut self) -> &mut Progress {
        &mut self.state
    }

    fn tick(&self) -> Option<u64> {
        self.client.tick()
    }

    fn difference(&self, report: &Report) -> Option<String> {
        let pawn = self.pawn?;
        let group = report.get(&pawn)?.group;
        let visible = || {
            let objects = report.iter();
            objects.filter(move |(_, object)| object.group == -1 || object.group == group)
        };
        let ids = self.client.identities().map(NetworkIdentity::net_id);
        if !ids.eq(visible().map(|(id, _)| *id)) {
            let count = self.client.object_count();
            return Some(format!("{count} objects of {}", visible().count()));
        }
        for (id, object) in visible() {
            let fields = &object.fields;
            let is_owner = object.owner == pawn.0 - UNITS;
            if is_owner != (*id == pawn) || is_owner != self.client.is_owner(*id) {
                return Some(format!("{id} has the owner {}", object.owner));
            }
            let expected = if is_owner {
                fields.clone()
            } else {
                let (public, _) = fields.rsplit_once(' ')?;
                format!("{public} ")
            };
            let shown = self.shown(*id, is_owner);
            if shown.as_ref() != Some(&expected) {
                return Some(format!("{id} is {shown:?}, and {expected:?} at the server"));
            }
            if let Some(aim) = self.aim.filter(|_| is_owner)
                && !fields.contains(&format!("] {aim} "))
            {
                return Some(format!("{id}: the write {aim} is not in {fields:?}"));
            }
        }
        None
    }

    fn hooks(&self) -> Hooks {
        let mut sum = Hooks::default();
        for identity in self.client.identities() {
            let unit = identity.behaviour::<B::Unit>().map(B::hooks);
            let place = identity.behaviour::<B::Place>().map(B::hooks_of_place);
            for hooks in [unit, place].into_iter().flatten() {
                sum.runs += hooks.runs;
                sum.repeats += hooks.repeats;
            }
        }
        sum
    }
}
