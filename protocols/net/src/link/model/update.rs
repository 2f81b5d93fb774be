//! One update of the server, in the order of the rules.

mod datagrams;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use super::packet::{Chunk, Message, ModelEntry, Packet};
use super::rules::Rule;
use super::server::ModelServer;
use super::{ORDERED_BIT, OWNED_BIT, SECRET_BIT, SHARED_BITS, bits, only};

/// Entries of a chunk and of a datagram.
const PACKET_ENTRIES: usize = 2;

/// Ticks in which a chunk may be repeated.
const RECENT: u32 = 8;

/// A chunk with its audience.
type Addressed = (u128, Rc<Chunk>);

/// An echo: audience, original, and the copy with the fields that still stand.
type Echo = (u128, Rc<Chunk>, Rc<Chunk>);

impl ModelServer {
    pub(super) fn update(&mut self, tick: u32, now: Duration) -> Vec<(usize, Packet)> {
        if tick == self.tick && self.has(Rule::OneFrame) {
            return Vec::new();
        }
        self.tick = tick;
        self.end_views();
        let shows: Vec<_> = self.missing_views();
        let chunks = self.frame(&shows);
        for (client, number) in shows {
            self.show(client, number);
        }
        self.tell_owners();
        let echoes = if self.has_echo {
            self.echoes()
        } else {
            Vec::new()
        };
        let mut out = Vec::new();
        for client in 0..self.connections.len() {
            self.send(client, now, &chunks, &echoes, &mut out);
        }
        self.recent.retain(|(_, chunk)| tick - chunk.tick < RECENT);
        self.recent.extend(chunks);
        out
    }

    /// Ends the objects that are gone or hidden.
    fn end_views(&mut self) {
        for client in 0..self.connections.len() {
            let connection = &mut self.connections[client];
            let (objects, wanted) = (&self.objects, &connection.wanted);
            let gone = connection.view.iter().filter(|(number, class)| {
                let object = objects.get(number);
                object.is_none_or(|object| object.class != **class) || !wanted.contains(number)
            });
            for number in gone.map(|(number, _)| *number).collect::<Vec<_>>() {
                connection.forget(number);
                let packet = connection.link.reliable_sent() + 1;
                self.ended.entry(number).or_default().push((client, packet));
            }
        }
    }

    fn missing_views(&self) -> Vec<(usize, u32)> {
        let connections = self.connections.iter().enumerate();
        let missing = connections.flat_map(|(client, connection)| {
            let wanted = connection.wanted.iter().copied();
            wanted
                .filter(|number| !connection.view.contains_key(number))
                .filter(|number| self.objects.contains_key(number))
                .map(move |number| (client, number))
        });
        missing.collect()
    }

    /// Writes each due object once for those who have it already.
    fn frame(&mut self, shows: &[(usize, u32)]) -> Vec<Addressed> {
        let tick = self.tick;
        let hurried = shows
            .iter()
            .chain(&self.owner_news)
            .map(|(_, number)| *number);
        let hurried: BTreeSet<_> = hurried.collect();
        let mut frame: BTreeMap<u128, Vec<ModelEntry>> = BTreeMap::new();
        let numbers: Vec<_> = self.objects.keys().copied().collect();
        for number in numbers {
            let Some(object) = self.objects.get_mut(&number) else {
                continue;
            };
            if object.dirty == 0 || object.due > tick && !hurried.contains(&number) {
                continue;
            }
            let mask = std::mem::take(&mut object.dirty);
            for field in bits(mask) {
                object.changed[field] = tick;
                object.framed[field] = object.values[field];
            }
            object.due = tick + object.interval;
            let object = &self.objects[&number];
            let (small, large) = (mask & !object.large, mask & object.large);
            for part in [SHARED_BITS, SECRET_BIT, OWNED_BIT].map(|part| part & small) {
                let audience = self.audience(number, object, part);
                if part != 0 && audience != 0 {
                    let entry = object.entry(number, part);
                    frame.entry(audience).or_default().push(entry);
                }
            }
            let ordered = object.entry(number, mask & ORDERED_BIT);
            for client in 0..self.connections.len() {
                let connection = &mut self.connections[client];
                if ordered.mask != 0 && connection.view.contains_key(&number) {
                    connection.messages.push(Message::Fields(ordered));
                }
                self.owe(client, number, large, tick);
            }
        }
        let mut chunks = Vec::new();
        for (audience, entries) in frame {
            for entries in entries.chunks(PACKET_ENTRIES) {
                let chunk = Rc::new(Chunk {
                    number: self.chunks.len() as u64 + 1,
                    tick,
                    entries: entries.to_vec(),
                });
                self.chunks.push(Rc::clone(&chunk));
                chunks.push((audience, chunk));
            }
        }
        chunks
    }

    fn tell_owners(&mut self) {
        for (client, number) in std::mem::take(&mut self.owner_news) {
            let has_it = self.connections[client].view.contains_key(&number);
            let Some(object) = self.objects.get(&number).filter(|_| has_it) else {
                continue;
            };
            let owns = object.owner == Some(client);
            let mask = OWNED_BIT | if owns { SECRET_BIT } else { 0 };
            let entry = object.entry(number, mask);
            let rights = self.has(Rule::Rights);
            let connection = &mut self.connections[client];
            connection.messages.push(Message::Owner(entry, owns));
            if let Some((owed, _)) = connection.backlog.get_mut(&number).filter(|_| rights) {
                *owed &= !mask;
            }
            self.sent_reliably(client, number, mask);
        }
    }

    /// Returns the chunks of the last frames with the fields that still stand.
    fn echoes(&mut self) -> Vec<Echo> {
        let mut echoes = Vec::new();
        for (audience, original) in self.recent.clone() {
            let mut entries = original.entries.clone();
            let mut is_whole = true;
            for entry in &mut entries {
                let Some(object) = self.objects.get(&entry.object) else {
                    entry.mask = 0;
                    continue;
                };
                let is_same = self.audience(entry.object, object, entry.mask) == audience;
                entry.mask = only(entry.mask, |field| object.changed[field] == original.tick);
                is_whole &= entry.mask & object.dirty == 0 && is_same;
            }
            entries.retain(|entry| entry.mask != 0);
            if entries.is_empty() || !is_whole {
                continue;
            }
            let copy = Chunk {
                number: 0,
                tick: self.tick,
                entries,
            };
            echoes.push((audience, original, copy.into()));
        }
        echoes
    }
}
