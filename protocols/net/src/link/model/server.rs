//! A server: objects with a tick per field, audiences, and the fields that connections are owed.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use syncvar_testing::loss::{FIELDS, OWNED};

use super::connection::{ModelConnection, OwnRepair};
use super::packet::{Chunk, Datagram, Message, ModelEntry};
use super::rules::Rule;
use super::{ALL, Mask, ORDERED_BIT, OWNED_BIT, SECRET_BIT, bits, only};
use crate::link::sender::{Content, Verdict, VerdictKind};

pub(super) struct Object {
    pub(super) class: u32,
    pub(super) values: [u32; FIELDS],
    /// Ticks of the frames that have written the fields last.
    pub(super) changed: [u32; FIELDS],
    /// Values that frames have written last.
    pub(super) framed: [u32; FIELDS],
    pub(super) dirty: Mask,
    pub(super) large: Mask,
    /// Ticks between two frames.
    pub(super) interval: u32,
    pub(super) due: u32,
    pub(super) owner: Option<usize>,
    pub(super) permit: u32,
    /// Tick of the owner in its last write.
    pub(super) owner_tick: u32,
}

impl Object {
    /// Returns the fields that a client reads, without the field that it writes.
    pub(super) fn readable(&self, client: usize) -> Mask {
        if self.owner == Some(client) {
            ALL & !OWNED_BIT
        } else {
            ALL & !SECRET_BIT
        }
    }

    pub(super) fn entry(&self, object: u32, mask: Mask) -> ModelEntry {
        ModelEntry {
            object,
            class: self.class,
            mask,
            values: self.values,
            permit: self.permit,
        }
    }

    pub(super) fn changed_by(&self, mask: Mask, tick: u32) -> Mask {
        only(mask, |field| self.changed[field] <= tick)
    }
}

pub(super) struct ModelServer {
    pub(super) without: Option<Rule>,
    pub(super) budget: usize,
    pub(super) repairs: usize,
    pub(super) has_echo: bool,
    pub(super) tick: u32,
    pub(super) objects: BTreeMap<u32, Object>,
    pub(super) connections: Vec<ModelConnection>,
    /// New and former owners of objects since the last update.
    pub(super) owner_news: Vec<(usize, u32)>,
    /// Ended objects: connections with the reliable packets that end them.
    pub(super) ended: BTreeMap<u32, Vec<(usize, u64)>>,
    /// All chunks, from number 1 on.
    pub(super) chunks: Vec<Rc<Chunk>>,
    /// Chunks of the last ticks with their audiences.
    pub(super) recent: Vec<(u128, Rc<Chunk>)>,
    pub(super) violation: Option<String>,
}

impl ModelServer {
    pub(super) fn has(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    pub(super) fn spawn(&mut self, number: u32, class: u32) {
        let connections = &self.connections;
        let is_free = !self.has(Rule::NoReuse)
            || !connections.iter().any(|one| one.view.contains_key(&number))
                && self
                    .ended
                    .get(&number)
                    .into_iter()
                    .flatten()
                    .all(|(client, packet)| connections[*client].link.handled() >= *packet);
        if !is_free || self.objects.contains_key(&number) {
            return;
        }
        let object = Object {
            class,
            values: [class; FIELDS],
            // It is sent in the next tick.
            changed: [self.tick + 1; FIELDS],
            framed: [class; FIELDS],
            dirty: 0,
            large: 0,
            interval: number % 2 * 3,
            due: 0,
            owner: None,
            permit: 0,
            owner_tick: 0,
        };
        self.objects.insert(number, object);
        for connection in &mut self.connections {
            connection.wanted.insert(number);
        }
    }

    pub(super) fn write(&mut self, object: u32, field: usize, value: u32, is_large: bool) {
        if let Some(object) = self.objects.get_mut(&object) {
            object.values[field] = value;
            object.dirty |= 1 << field;
            object.large &= !(1 << field);
            object.large |= Mask::from(is_large) << field;
        }
    }

    pub(super) fn set_owner(&mut self, number: u32, owner: Option<usize>) {
        let Some(object) = self.objects.get_mut(&number) else {
            return;
        };
        let has_it = |client: usize| self.connections[client].view.contains_key(&number);
        if object.owner == owner || !owner.is_none_or(has_it) {
            return;
        }
        let both = object.owner.into_iter().chain(owner);
        self.owner_news.extend(both.map(|client| (client, number)));
        object.owner = owner;
        object.permit += 1;
        if self.without != Some(Rule::PermitTicks) {
            object.owner_tick = 0;
        }
    }

    pub(super) fn hide(&mut self, object: u32, client: usize) {
        let was_wanted = self.connections[client].wanted.remove(&object);
        let owner = self.objects.get(&object).and_then(|object| object.owner);
        if was_wanted && owner == Some(client) {
            self.set_owner(object, None);
        }
    }

    /// Returns the fields of something lost that nothing later has carried.
    pub(super) fn standing(&self, client: usize, number: u32, mask: Mask, tick: u32) -> Mask {
        let connection = &self.connections[client];
        let object = self.objects.get(&number);
        let Some(object) = object.filter(|_| connection.view.contains_key(&number)) else {
            return 0;
        };
        let is_shown = |field: usize| {
            self.has(Rule::Shown)
                && connection.shown.iter().any(|(shown, mask, tick)| {
                    *shown == number && mask >> field & 1 == 1 && object.changed[field] <= *tick
                })
        };
        let rights = self.has(Rule::Rights);
        let readable = if rights { object.readable(client) } else { ALL };
        let mask = object.changed_by(mask & readable & !ORDERED_BIT, tick);
        only(mask, |field| !is_shown(field))
    }

    pub(super) fn owe(&mut self, client: usize, number: u32, mask: Mask, tick: u32) {
        let new = self.standing(client, number, mask, tick);
        if new == 0 {
            return;
        }
        let backlog = &self.connections[client].backlog;
        let (mut old, as_of) = backlog.get(&number).copied().unwrap_or_default();
        if self.has(Rule::Refilter) {
            old = self.standing(client, number, old, as_of);
        }
        let entry = (old | new, self.tick);
        self.connections[client].backlog.insert(number, entry);
    }

    pub(super) fn judge(&mut self, client: usize, verdicts: &[Verdict<OwnRepair>]) {
        for verdict in verdicts {
            let (kind, tick) = (verdict.kind, verdict.tick);
            match verdict.content {
                Content::Own((object, mask)) => self.judge_one(client, kind, tick, object, mask),
                Content::Chunk(number) => {
                    let index = usize::try_from(number - 1).unwrap();
                    let chunk = Rc::clone(&self.chunks[index]);
                    for entry in &chunk.entries {
                        self.judge_one(client, kind, tick, entry.object, entry.mask);
                    }
                }
            }
        }
    }

    fn judge_one(&mut self, client: usize, kind: VerdictKind, tick: u32, number: u32, mask: Mask) {
        if kind == VerdictKind::Lost {
            return self.owe(client, number, mask, tick);
        }
        if !self.has(Rule::TakeBack) {
            return;
        }
        let Some(object) = self.objects.get(&number) else {
            return;
        };
        let has = object.changed_by(mask, tick);
        let connection = &mut self.connections[client];
        if let Some((owed, _)) = connection.backlog.get_mut(&number) {
            *owed &= !has;
        }
        for (own, mask) in connection.link.flying_own() {
            if *own == number {
                *mask &= !has;
            }
        }
    }

    pub(super) fn on_datagram(&mut self, client: usize, packet: &Datagram, now: Duration) {
        if let Some(ack) = &packet.ack {
            let mut verdicts = Vec::new();
            let link = &mut self.connections[client].link;
            let since = link.on_ack(now, ack, &mut verdicts);
            self.judge(client, &verdicts);
            verdicts.clear();
            self.connections[client].link.on_gap(&mut verdicts);
            self.judge(client, &verdicts);
            if let Some(since) = since {
                self.attach(client, since);
            }
        }
        let Some(low) = packet.sequence else {
            return;
        };
        let tick = packet.wide.unwrap_or_default();
        for entry in packet.entries() {
            let Some(object) = self.objects.get_mut(&entry.object) else {
                continue;
            };
            // Another permit was under way when the owner changed.
            let is_owner = object.owner == Some(client) && object.permit == entry.permit;
            if is_owner && tick > object.owner_tick {
                if entry.values[OWNED] < object.values[OWNED] {
                    self.violation = Some("P2: an owner's value becomes older".to_owned());
                }
                object.owner_tick = tick;
                object.values[OWNED] = entry.values[OWNED];
                object.dirty |= OWNED_BIT;
            }
        }
        let receiver = &mut self.connections[client].receiver;
        receiver.mark(receiver.extend_sequence(low), now);
    }

    /// Owes everything that has changed since the connection was detached.
    fn attach(&mut self, client: usize, since: u32) {
        let numbers: Vec<_> = self.connections[client].view.keys().copied().collect();
        for number in numbers {
            if let Some(object) = self.objects.get(&number) {
                let mask = only(ALL, |field| object.changed[field] > since);
                self.owe(client, number, mask, self.tick);
                self.connections[client].traffic.visited += 1;
            }
        }
    }

    /// Sends the snapshot of an object.
    pub(super) fn show(&mut self, client: usize, number: u32) {
        let Some(object) = self.objects.get(&number) else {
            return;
        };
        let owns = object.owner == Some(client);
        let mask = object.readable(client) | if owns { OWNED_BIT } else { 0 };
        let entry = object.entry(number, mask);
        let connection = &mut self.connections[client];
        connection.view.insert(number, object.class);
        connection.messages.push(Message::Spawn(entry, owns));
        connection.shown.retain(|shown| shown.0 != number);
        connection.backlog.remove(&number);
        self.sent_reliably(client, number, mask);
    }

    /// Notes fields that the stream carries, so that they are not repaired.
    pub(super) fn sent_reliably(&mut self, client: usize, number: u32, mask: Mask) {
        let connection = &mut self.connections[client];
        connection.shown.push((number, mask, self.tick));
        for field in bits(mask) {
            connection.sent_reliably.insert((number, field), self.tick);
        }
    }

    /// Returns the connections that are sent these fields, all of one kind, as bits.
    pub(super) fn audience(&self, number: u32, object: &Object, mask: Mask) -> u128 {
        let connections = self.connections.iter().enumerate();
        let viewers = connections.filter(|(_, one)| one.view.contains_key(&number));
        let viewers: u128 = viewers.map(|(client, _)| 1 << client).sum();
        let owner = object.owner.map_or(0, |client| 1 << client) & viewers;
        match mask {
            SECRET_BIT => owner,
            OWNED_BIT => viewers & !owner,
            _ => viewers,
        }
    }
}
