//! The ends of a program with their links, and their loops.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use syncvar::error::PacketError;
use syncvar::prelude::*;
use syncvar::{Channel, Endpoint};

use super::Checked;
use super::link::Link;
use super::oracle::Oracle;
use super::program::{Conditions, SLOTS, Setup};
use super::replica::View;
use super::world::prefabs;

thread_local! {
    static TOKENS: Cell<u128> = const { Cell::new(0) };
}

/// Returns an unguessable token, by its number.
fn token() -> [u8; 16] {
    let number = TOKENS.get() + 1;
    TOKENS.set(number);
    number
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        .to_le_bytes()
}

/// A client with its link.
pub(super) struct End {
    pub(super) client: NetworkClient,
    pub(super) view: View,
    /// The server's number of the link, if there is one.
    pub(super) link: Option<ConnectionId>,
    pub(super) up: Link,
    pub(super) down: Link,
    /// Runs for which the loop stands still.
    pub(super) stalled: u32,
    /// Whether one end has said goodbye.
    pub(super) is_leaving: bool,
    /// Commands that must run.
    pub(super) ordered: BTreeSet<u64>,
    pub(super) input: Option<u64>,
    /// Inputs by tick.
    pub(super) inputs: BTreeMap<u64, u64>,
    /// Number of the connection, also while the client is away.
    pub(super) connection: ConnectionId,
}

pub(super) struct World {
    pub(super) setup: Setup,
    pub(super) server: NetworkServer,
    pub(super) ends: Vec<End>,
    pub(super) oracle: Oracle,
    pub(super) hubs: Vec<NetId>,
    pub(super) slots: [Option<NetId>; SLOTS],
    pub(super) now: Duration,
    /// Number of the last call or input.
    pub(super) count: u64,
    /// Runs for which the server's loop stands still.
    pub(super) stalled: u32,
    /// Hash of the packets.
    pub(super) hash: u64,
    pub(super) conditions: Conditions,
}

impl World {
    pub(super) fn new(setup: &Setup) -> Self {
        TOKENS.set(0);
        let mut world = Self {
            setup: *setup,
            server: NetworkServer::with_config(prefabs(), setup.server_config(token)),
            ends: Vec::new(),
            oracle: Oracle::new(setup.clients),
            hubs: Vec::new(),
            slots: [None; SLOTS],
            now: Duration::ZERO,
            count: 0,
            stalled: 0,
            hash: 0,
            conditions: setup.conditions,
        };
        if setup.is_host {
            world.server.connect_local();
        }
        for index in 0..setup.clients {
            let seed = setup.seed.wrapping_mul(31).wrapping_add(2 * index as u64);
            world.ends.push(End {
                client: NetworkClient::with_config(prefabs(), setup.client_config()),
                view: View::new(setup, index),
                link: None,
                up: Link::new(seed),
                down: Link::new(seed + 1),
                stalled: 0,
                is_leaving: false,
                ordered: BTreeSet::new(),
                input: None,
                inputs: BTreeMap::new(),
                connection: ConnectionId(u32::MAX),
            });
            world.connect(index);
        }
        world
    }

    /// Returns the server's number of a client.
    pub(super) fn connection(&self, client: usize) -> ConnectionId {
        self.ends[client].connection
    }

    pub(super) fn client_of(&self, connection: ConnectionId) -> Option<usize> {
        self.ends
            .iter()
            .position(|end| end.connection == connection)
    }

    pub(super) fn connect(&mut self, client: usize) {
        let limits = self.setup.limits(client);
        let end = &mut self.ends[client];
        if end.link.is_some() {
            return;
        }
        Endpoint::handle_connect(&mut end.client, limits);
        let link = Endpoint::handle_connect(&mut self.server, limits);
        (end.link, end.is_leaving) = (Some(link), false);
        if !self.server.is_away(end.connection) {
            end.connection = link;
        }
        if let Some(budget) =
            Some(self.setup.tightness.budget).filter(|bytes| *bytes > 0 && client == 0)
        {
            _ = self
                .server
                .set_budget(link, Some(syncvar::Budget::new(budget)));
        }
    }

    pub(super) fn cut(&mut self, client: usize) -> Checked {
        let end = &mut self.ends[client];
        if let Some(link) = end.link.take() {
            end.client.handle_disconnect();
            self.server.handle_disconnect(link);
            end.up.clear();
            end.down.clear();
            self.oracle.returning[client] = true;
        }
        self.note_connections()
    }

    pub(super) fn say_goodbye(&mut self, client: usize) {
        let end = &mut self.ends[client];
        // Who says goodbye while it returns begins anew, and the server waits for it.
        if end.link.is_some() && !end.is_leaving && !self.server.is_away(end.connection) {
            end.client.disconnect("bye");
            end.is_leaving = true;
        }
    }

    /// Runs every loop once.
    pub(super) fn run(&mut self) -> Checked {
        self.now += self.setup.interval;
        for client in 0..self.ends.len() {
            if self.ends[client].stalled > 0 {
                self.ends[client].stalled -= 1;
            } else {
                self.run_client(client)
                    .map_err(|error| format!("{error} (client {client})"))?;
            }
        }
        if self.stalled > 0 {
            self.stalled -= 1;
            return Ok(());
        }
        for client in 0..self.ends.len() {
            self.receive(client)?;
        }
        if self.setup.has_inputs {
            self.take_inputs()?;
        }
        self.update_server()
    }

    fn run_client(&mut self, client: usize) -> Checked {
        let (now, conditions) = (self.now, self.conditions);
        let end = &mut self.ends[client];
        while let Some((delivery, channel, bytes)) = end.down.receive(now) {
            let handled = match delivery {
                Channel::Reliable => end.client.handle_packet(channel, &bytes),
                Channel::Unreliable => end.client.handle_datagram(channel, &bytes),
            };
            if !end.is_leaving {
                handled.map_err(|error| format!("refused: a packet of the server: {error}"))?;
            }
            // Lost fields are repaired with values that the client may have.
            let connection = end.connection;
            let losses = self
                .server
                .losses(connection)
                .ok()
                .flatten()
                .unwrap_or_default();
            let is_first =
                delivery == Channel::Unreliable && losses.repaired + losses.caught_up == 0;
            end.view
                .check(&self.oracle, (client, &mut end.client), is_first)?;
        }
        end.client.update(now);
        end.view
            .check(&self.oracle, (client, &mut end.client), false)?;
        if std::mem::take(&mut end.view.has_restarted) {
            end.ordered.clear();
            end.inputs.clear();
        }
        if let (Some(tick), Some(input)) = (end.client.input_tick(), end.input) {
            let next = end
                .inputs
                .last_key_value()
                .map_or(tick, |(last, _)| last + 1);
            end.inputs.extend((next..=tick).map(|tick| (tick, input)));
        }
        while let Some(packet) = end.client.poll_transmit() {
            self.hash = hash(self.hash, &packet.bytes);
            if end.link.is_none() {
                continue;
            }
            end.up.send(
                now,
                &conditions,
                (packet.delivery, packet.channel),
                packet.bytes,
            );
        }
        if end.is_leaving && end.up.is_empty() && end.down.is_empty() {
            self.cut(client)?;
        }
        Ok(())
    }

    /// Hands the packets of a client to the server.
    fn receive(&mut self, client: usize) -> Checked {
        while let Some(link) = self.ends[client].link
            && self.server.accepts_packets(link)
            && let Some((delivery, channel, bytes)) = self.ends[client].up.receive(self.now)
        {
            let handled = match delivery {
                Channel::Reliable => self.server.handle_packet(link, channel, &bytes),
                Channel::Unreliable => self.server.handle_datagram(link, channel, &bytes),
            };
            match handled {
                Err(PacketError::UnknownConnection(_)) | Ok(()) => {}
                Err(error) => return Err(format!("refused: a packet of client {client}: {error}")),
            }
            self.note_connections()?;
            self.note_writes(client)?;
        }
        Ok(())
    }

    pub(super) fn update_server(&mut self) -> Checked {
        self.server.update(self.now);
        self.note_connections()?;
        self.oracle.begin_tick(self.server.network_time().tick);
        while let Some(packet) = self.server.poll_transmit() {
            let (connection, place) = (packet.connection, (packet.delivery, packet.channel));
            let bytes = packet.to_bytes();
            self.hash = hash(self.hash, &bytes);
            if let Some(client) = self
                .ends
                .iter()
                .position(|end| end.link == Some(connection))
            {
                self.oracle.check_packet(client, &bytes)?;
                self.ends[client]
                    .down
                    .send(self.now, &self.conditions, place, bytes);
            }
        }
        self.oracle.end_update();
        for (client, end) in self.ends.iter().enumerate() {
            self.oracle.returning[client] &= self.server.is_away(end.connection);
        }
        while let Some(link) = self.server.poll_close() {
            let mut ends = self.ends.iter().enumerate();
            if let Some((client, _)) =
                ends.find(|(_, end)| end.link == Some(link) && !end.is_leaving)
            {
                return Err(format!("thrown out: the link of client {client}"));
            }
        }
        Ok(())
    }
}

fn hash(hash: u64, bytes: &[u8]) -> u64 {
    let sum = bytes.iter().fold(hash ^ bytes.len() as u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    sum.rotate_left(5)
}
