//! The oracle: who may read each field, which values it has had, and the markers in each packet.

use std::collections::{BTreeMap, BTreeSet};

use syncvar::prelude::*;
use syncvar::schema::Readers;

use super::Checked;
use super::field::{Rule, TAG};
use super::world::KINDS;

/// Content of a field from a moment on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) content: u64,
    /// Tick of the update that sends it; none before that update.
    pub(super) tick: Option<u64>,
}

/// Field of an object, with its contents, oldest first.
pub(super) struct Field {
    pub(super) rule: &'static Rule,
    /// Position of the behaviour, and of the field in it.
    pub(super) place: (usize, usize),
    pub(super) history: Vec<Written>,
}

/// An object of the server, also after its end.
pub(super) struct Object {
    pub(super) kind: usize,
    pub(super) is_alive: bool,
    pub(super) is_hidden: bool,
    pub(super) owner: Option<usize>,
    pub(super) group: Option<u64>,
    pub(super) fields: Vec<Field>,
    /// Decisions about single clients.
    shown: BTreeMap<usize, bool>,
    /// Tick of the last change of a client's readable fields.
    pub(super) role_since: Vec<u64>,
}

/// Origin of a mark.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) object: NetId,
    pub(super) field: usize,
    /// Client that wrote it; none for the server.
    pub(super) writer: Option<usize>,
}

/// Fields that a client could read until a moment.
#[derive(Clone, Copy)]
struct Former {
    client: usize,
    object: NetId,
    fields: u64,
    /// First mark that was written later.
    end: u64,
}

pub(super) struct Oracle {
    pub(super) objects: BTreeMap<NetId, Object>,
    /// Origins by number, from 1 on.
    pub(super) marks: Vec<Origin>,
    /// Groups by client.
    pub(super) members: Vec<BTreeSet<u64>>,
    pub(super) ready: Vec<bool>,
    /// Clients whose present packets may be those of their last link.
    pub(super) returning: Vec<bool>,
    pub(super) tick: u64,
    formers: Vec<Former>,
    /// Position of the first one since the last update.
    recent: usize,
}

impl Object {
    fn new(kind: usize, is_hidden: bool, owner: Option<usize>, clients: usize, tick: u64) -> Self {
        let parts = KINDS[kind].parts.iter().enumerate();
        let fields = parts.flat_map(|(part, it)| {
            it.rules.iter().enumerate().map(move |(field, rule)| Field {
                rule,
                place: (part, field),
                history: Vec::new(),
            })
        });
        Self {
            kind,
            is_alive: true,
            is_hidden,
            owner,
            group: None,
            fields: fields.collect(),
            shown: BTreeMap::new(),
            role_since: vec![tick; clients],
        }
    }

    /// Returns the fields of a behaviour.
    pub(super) fn fields_of(&self, part: usize) -> impl Iterator<Item = (usize, &Field)> {
        let fields = self.fields.iter().enumerate();
        fields.filter(move |(_, field)| field.place.0 == part)
    }
}

impl Oracle {
    pub(super) fn new(clients: usize) -> Self {
        Self {
            objects: BTreeMap::new(),
            marks: Vec::new(),
            members: vec![BTreeSet::new(); clients],
            ready: vec![false; clients],
            returning: vec![false; clients],
            tick: 0,
            formers: Vec::new(),
            recent: 0,
        }
    }

    /// Returns the next mark, for a field.
    pub(super) fn next_mark(&mut self, object: NetId, field: usize, writer: Option<usize>) -> u64 {
        self.marks.push(Origin {
            object,
            field,
            writer,
        });
        self.marks.len() as u64
    }

    pub(super) fn origin(&self, number: u64) -> Option<&Origin> {
        self.marks
            .get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Adds an object with the contents of its fields.
    pub(super) fn spawn(
        &mut self,
        id: NetId,
        (kind, is_hidden): (usize, bool),
        owner: Option<usize>,
    ) {
        let clients = self.ready.len();
        self.objects
            .insert(id, Object::new(kind, is_hidden, owner, clients, self.tick));
    }

    pub(super) fn sees(&self, object: &Object, client: usize) -> bool {
        let shown = object.shown.get(&client).copied();
        object.is_alive && self.ready[client] && shown.unwrap_or(!object.is_hidden)
    }

    pub(super) fn reads(&self, object: &Object, rule: &Rule, client: usize) -> bool {
        let is_owner = object.owner == Some(client);
        let is_member = object
            .group
            .is_some_and(|group| self.members[client].contains(&group));
        self.sees(object, client)
            && match rule.read {
                Readers::Everyone => true,
                Readers::Owner => is_owner,
                Readers::Others => !is_owner,
                Readers::Group => is_owner || is_member,
                Readers::Server => false,
            }
    }

    fn readable(&self, object: &Object, client: usize) -> u64 {
        let fields = object.fields.iter().enumerate();
        fields
            .filter(|(_, field)| self.reads(object, field.rule, client))
            .fold(0, |mask, (index, _)| mask | 1 << index)
    }

    fn readers(&self) -> Vec<(NetId, usize, u64)> {
        let objects = self.objects.iter().filter(|(_, object)| object.is_alive);
        let readers = objects.flat_map(|(id, object)| {
            (0..self.ready.len()).map(|client| (*id, client, self.readable(object, client)))
        });
        readers.collect()
    }

    /// Changes readers of fields.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.readers();
        change(self);
        let (end, tick) = (self.marks.len() as u64 + 1, self.tick);
        for (id, client, fields) in before {
            let now = self.readable(&self.objects[&id], client);
            let fields = fields & !now;
            if fields != 0 {
                self.formers.push(Former {
                    client,
                    object: id,
                    fields,
                    end,
                });
            }
            if let Some(object) = self
                .objects
                .get_mut(&id)
                .filter(|_| fields != 0 || now != 0)
            {
                object.role_since[client] = tick;
            }
        }
    }

    pub(super) fn show(&mut self, id: NetId, client: usize, is_shown: bool) {
        self.change(|oracle| {
            if let Some(object) = oracle.objects.get_mut(&id) {
                object.shown.insert(client, is_shown);
            }
        });
    }

    pub(super) fn set_ready(&mut self, client: usize, is_ready: bool) {
        if self.ready[client] != is_ready {
            self.change(|oracle| oracle.ready[client] = is_ready);
        }
    }

    /// Ends a connection: its groups, its objects and the decisions about it.
    pub(super) fn close(&mut self, client: usize) {
        self.change(|oracle| {
            oracle.ready[client] = false;
            oracle.members[client].clear();
            for object in oracle.objects.values_mut() {
                object.owner = object.owner.filter(|owner| *owner != client);
                object.shown.remove(&client);
            }
        });
    }

    /// Takes over a content of a field on the server.
    pub(super) fn record(&mut self, id: NetId, field: usize, content: u64) {
        let Some(object) = self.objects.get_mut(&id) else {
            return;
        };
        let history = &mut object.fields[field].history;
        if history.last().is_none_or(|last| last.content != content) {
            history.push(Written {
                content,
                tick: None,
            });
        }
    }

    /// Gives the changes so far to a tick, unless its update has been.
    pub(super) fn begin_tick(&mut self, tick: u64) {
        if tick <= self.tick {
            return;
        }
        self.tick = tick;
        for field in self
            .objects
            .values_mut()
            .flat_map(|object| &mut object.fields)
        {
            for written in field
                .history
                .iter_mut()
                .rev()
                .take_while(|it| it.tick.is_none())
            {
                written.tick = Some(tick);
            }
        }
    }

    /// Forgets earlier readers whose pending changes have been sent.
    pub(super) fn end_update(&mut self) {
        self.recent = self.formers.len();
    }

    /// Checks the marks in a packet of the server: its client reads each of them, or did so when it was written and
    /// since the last update.
    pub(super) fn check_packet(&self, client: usize, bytes: &[u8]) -> Checked {
        let mut at = 0;
        while let Some(tag) = bytes[at..].windows(8).position(|window| window[..3] == TAG) {
            let mark = &bytes[at + tag..at + tag + 8];
            at += tag + 1;
            let number = mark[3..]
                .iter()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
            let Some(origin) = self.origin(number) else {
                continue;
            };
            let object = &self.objects[&origin.object];
            let field = &object.fields[origin.field];
            let formers = if self.returning[client] {
                &self.formers
            } else {
                &self.formers[self.recent..]
            };
            let was_reader = |former: &Former| {
                (former.client, former.object) == (client, origin.object)
                    && former.fields >> origin.field & 1 == 1
                    && number < former.end
            };
            if !self.reads(object, field.rule, client) && !formers.iter().any(was_reader) {
                let name = field.rule.name;
                return Err(format!(
                    "secret: {name} of {} is sent to client {client}: {number}",
                    origin.object
                ));
            }
        }
        Ok(())
    }
}
