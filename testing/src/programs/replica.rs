//! The oracle of a client: its replicas, hooks, events and calls.

use std::collections::{BTreeMap, BTreeSet};

use syncvar::prelude::*;
use syncvar::schema::Readers;

use super::Checked;
use super::calls::{Buoy, Calls, Hub};
use super::field::{HookRun, Writer};
use super::oracle::{Object, Oracle, Written};
use super::program::{Conditions, Setup};
use super::world::{KINDS, PAIR, Part};

/// A replica as seen last.
#[derive(Default)]
struct Replica {
    /// Content by field.
    contents: Vec<u64>,
    /// Position of a content in the history of its field.
    known: Vec<usize>,
    /// Runs of hooks so far, by behaviour.
    runs: Vec<usize>,
    /// Runs of calls so far: reliable, unreliable, after the state.
    heard: [usize; 3],
}

/// Calls that have run on a client, and calls that must.
#[derive(Default)]
pub(super) struct Heard {
    last_ring: u64,
    /// Calls without an order.
    once: BTreeSet<u64>,
    pub(super) expected: BTreeSet<u64>,
}

#[derive(Default)]
pub(super) struct View {
    replicas: BTreeMap<NetId, Replica>,
    pub(super) heard: Heard,
    /// Whether no state was lost or late so far.
    pub(super) is_exact: bool,
    /// Whether the budget is unlimited.
    pub(super) is_unlimited: bool,
    last_tick: u64,
    /// Whether the client asks for its place in the game.
    pub(super) is_waiting: bool,
    /// Whether the commands so far may be lost.
    pub(super) has_restarted: bool,
}

/// Events of a client since the last look.
#[derive(Default)]
struct Batch {
    /// Counts of reported changes by object and field.
    changed: BTreeMap<(NetId, (usize, usize)), u32>,
    restored: BTreeSet<NetId>,
    /// Objects with a new role, all fields of which are reported.
    roles: BTreeSet<NetId>,
    /// Whether each change arrives for the first time.
    is_first: bool,
    ticks: Vec<(u64, bool)>,
}

/// Returns the contents of an object on a client; `None` without a replica.
fn contents(client: &NetworkClient, id: NetId, object: &Object) -> Option<Vec<u64>> {
    let mut contents = Vec::with_capacity(object.fields.len());
    for part in KINDS[object.kind].parts {
        (part.on_client)(client, id)?.visit(&mut |_, value| contents.push(value.content()));
    }
    Some(contents)
}

impl View {
    pub(super) fn new(setup: &Setup, index: usize) -> Self {
        let Conditions {
            jitter,
            loss,
            duplicates,
            ..
        } = setup.conditions;
        let is_unlimited = index > 0 || setup.tightness.budget == 0;
        Self {
            is_exact: is_unlimited && loss + duplicates == 0 && jitter == 0,
            is_unlimited,
            ..Self::default()
        }
    }

    /// Looks at a client after it has handled packets or an update.
    pub(super) fn check(
        &mut self,
        oracle: &Oracle,
        (index, client): (usize, &mut NetworkClient),
        is_first: bool,
    ) -> Checked {
        let mut batch = self.take_events(client)?;
        batch.is_first = is_first;
        let ids: Vec<_> = client
            .identities()
            .map(|identity| identity.net_id())
            .collect();
        self.replicas.retain(|id, _| ids.binary_search(id).is_ok());
        for id in ids {
            let at = format!("{id} on client {index}");
            let object = oracle
                .objects
                .get(&id)
                .ok_or_else(|| format!("unknown: {at}"))?;
            let checked = self.check_object(oracle, (index, client), (id, object), &batch);
            checked.map_err(|error| format!("{error}: {at}"))?;
        }
        for (tick, is_complete) in &batch.ticks {
            if *is_complete {
                self.check_tick(oracle, index, *tick)?;
            }
        }
        Ok(())
    }

    fn take_events(&mut self, client: &mut NetworkClient) -> Result<Batch, String> {
        let mut batch = Batch::default();
        while let Some(event) = client.poll_event() {
            match event {
                ClientEvent::Spawned { object } | ClientEvent::Despawned { object, .. } => {
                    _ = self.replicas.remove(&object)
                }
                ClientEvent::Restored { object } => _ = batch.restored.insert(object),
                ClientEvent::OwnerChanged { object, .. } => _ = batch.roles.insert(object),
                ClientEvent::Changed {
                    object,
                    behaviour,
                    fields,
                } => {
                    for bit in (0..64).filter(|bit| fields.dirty_bits() >> bit & 1 == 1) {
                        *batch.changed.entry((object, (behaviour, bit))).or_default() += 1;
                    }
                }
                ClientEvent::Tick { tick, complete, .. } => {
                    if tick <= self.last_tick {
                        return Err(format!("tick: {tick} after {}", self.last_tick));
                    }
                    self.last_tick = tick;
                    batch.ticks.push((tick, complete));
                }
                ClientEvent::Ready => self.is_waiting = false,
                ClientEvent::NotReady => self.is_waiting = true,
                ClientEvent::Connected => (self.last_tick, self.has_restarted) = (0, true),
                ClientEvent::Returned { resumed } => self.has_restarted |= !resumed,
                ClientEvent::Poisoned { .. }
                | ClientEvent::WriteRefused { .. }
                | ClientEvent::CallbackFailed(_)
                | ClientEvent::HookFailed(_)
                | ClientEvent::CallFailed(_)
                | ClientEvent::SpawnFailed { .. }
                | ClientEvent::EarlyMessagesDropped { .. } => {
                    return Err(format!("event: {event:?}"));
                }
                _ => {}
            }
        }
        Ok(batch)
    }

    fn check_object(
        &mut self,
        oracle: &Oracle,
        (index, client): (usize, &NetworkClient),
        (id, object): (NetId, &Object),
        batch: &Batch,
    ) -> Checked {
        let contents = contents(client, id, object).ok_or("prefab: other behaviours")?;
        let is_fresh = !self.replicas.contains_key(&id);
        let replica = self.replicas.entry(id).or_insert_with(|| Replica {
            known: vec![0; contents.len()],
            runs: vec![0; KINDS[object.kind].parts.len()],
            ..Replica::default()
        });
        let former = std::mem::replace(&mut replica.contents, contents);
        let former = (!is_fresh).then_some(former);
        let is_owner = client.is_owner(id);
        replica.check_contents(oracle, object, index, is_owner, former.as_deref())?;
        let hooks = replica.check_hooks(object, former.as_deref(), |part| {
            Some((part.on_client)(client, id)?.runs())
        })?;
        if let Some(former) = former.filter(|_| !batch.restored.contains(&id)) {
            let is_strict = batch.is_first && !batch.roles.contains(&id);
            let count = |place| batch.changed.get(&(id, place)).copied().unwrap_or(0);
            replica.check_events(object, &former, &hooks, is_strict, count)?;
        }
        let calls = (client.get::<Hub>(id).map(|hub| &hub.calls))
            .or_else(|| Some(&client.get::<Buoy>(id)?.calls));
        calls.map_or(Ok(()), |calls| {
            // A call is not ahead of its state, unless this was lost or withheld.
            let is_exact = self.is_exact || self.is_unlimited && client.get::<Hub>(id).is_some();
            self.heard.take(&mut replica.heard, calls, is_exact)
        })
    }

    /// Returns the contents of a replica as seen last.
    pub(super) fn contents(&self, id: NetId) -> Option<&[u64]> {
        Some(&self.replicas.get(&id)?.contents)
    }

    /// Takes over the contents that the client has written itself.
    pub(super) fn note_own(&mut self, client: &NetworkClient, id: NetId, object: &Object) {
        let contents = contents(client, id, object);
        if let Some((replica, contents)) = self.replicas.get_mut(&id).zip(contents) {
            replica.contents = contents;
        }
    }

    /// Checks that a complete tick has all changes up to it.
    fn check_tick(&self, oracle: &Oracle, index: usize, tick: u64) -> Checked {
        for (id, object) in &oracle.objects {
            if !oracle.sees(object, index) || object.role_since[index] >= tick {
                continue;
            }
            let Some(replica) = self.replicas.get(id) else {
                return Err(format!(
                    "tick: {tick} is complete without {id} on client {index}"
                ));
            };
            for (at, field) in object.fields.iter().enumerate() {
                let rule = field.rule;
                let is_own = object.owner == Some(index) && rule.write != Writer::Server;
                if is_own || rule.initial_only || !rule.prompt || !oracle.reads(object, rule, index)
                {
                    continue;
                }
                let is_due = |written: &Written| written.tick.is_some_and(|it| it <= tick);
                let due = field.history.iter().rposition(is_due);
                let lacks = |due: &usize| {
                    replica.known[at] < *due && replica.contents[at] != field.history[*due].content
                };
                if let Some(due) = due.filter(lacks) {
                    let name = rule.name;
                    let written = field.history[due];
                    return Err(format!(
                        "tick: {tick} is complete without {name} of {id} on client {index}: {written:?}"
                    ));
                }
            }
        }
        Ok(())
    }
}

impl Replica {
    /// Checks that each content is the server's and not older than the one before.
    fn check_contents(
        &mut self,
        oracle: &Oracle,
        object: &Object,
        index: usize,
        is_owner: bool,
        former: Option<&[u64]>,
    ) -> Checked {
        for (at, field) in object.fields.iter().enumerate() {
            let (content, rule) = (self.contents[at], field.rule);
            let is_own = is_owner && rule.write != Writer::Server;
            let is_reset = content == 0 && rule.read != Readers::Everyone;
            let known = self.known[at];
            let mut later = field.history[known..].iter();
            if let Some(later) = later.position(|written| written.content == content) {
                if !is_reset && !is_own {
                    self.known[at] = known + later;
                }
                continue;
            }
            let is_older = field
                .history
                .iter()
                .any(|written| written.content == content);
            let writer = oracle.origin(content).and_then(|origin| origin.writer);
            // A client keeps its own writes until the server's value arrives, also those that make a list empty.
            let is_kept = former.is_some_and(|former| former[at] == content);
            if is_kept && rule.write != Writer::Server {
                continue;
            }
            let is_pending =
                rule.write != Writer::Server && (writer == Some(index) || content >> 63 == 1);
            if !is_own && !is_reset && (is_older || !is_pending) {
                let verdict = if is_older { "older" } else { "invented" };
                return Err(format!("{verdict}: {} is {content}", rule.name));
            }
        }
        check_pairs(object, &self.contents)
    }

    /// Checks the new runs of hooks: each begins where the one before ended. Returns their number for each field.
    fn check_hooks<'a>(
        &mut self,
        object: &Object,
        former: Option<&[u64]>,
        runs: impl Fn(&Part) -> Option<&'a [HookRun]>,
    ) -> Result<Vec<u32>, String> {
        let mut hooks = vec![0; object.fields.len()];
        let mut chain: Vec<_> = (0..hooks.len())
            .map(|at| former.map(|former| former[at]))
            .collect();
        for (index, part) in KINDS[object.kind].parts.iter().enumerate() {
            let runs = runs(part).unwrap_or_default();
            let offset = object.fields_of(index).next().map_or(0, |(first, _)| first);
            for (field, previous, content) in &runs[self.runs[index]..] {
                let at = offset + field;
                if previous == content || chain[at].is_some_and(|content| content != *previous) {
                    let (name, before) = (part.rules[*field].name, chain[at]);
                    return Err(format!(
                        "hook: {name} {previous} -> {content} after {before:?}"
                    ));
                }
                (hooks[at], chain[at]) = (hooks[at] + 1, Some(*content));
            }
            self.runs[index] = runs.len();
        }
        for (at, field) in object
            .fields
            .iter()
            .enumerate()
            .filter(|(_, field)| field.rule.hooked)
        {
            if chain[at].is_some_and(|content| content != self.contents[at]) {
                return Err(format!(
                    "hook: {} has none for {:?} -> {}",
                    field.rule.name, chain[at], self.contents[at]
                ));
            }
        }
        Ok(hooks)
    }

    /// Checks that each change was reported, and a change by a datagram once. The stream reports all fields of a new
    /// role.
    fn check_events(
        &self,
        object: &Object,
        former: &[u64],
        hooks: &[u32],
        is_strict: bool,
        count: impl Fn((usize, usize)) -> u32,
    ) -> Checked {
        for (at, field) in object.fields.iter().enumerate() {
            let (reported, name) = (count(field.place), field.rule.name);
            if former[at] != self.contents[at] && reported == 0 {
                return Err(format!("event: {name} changed without a report"));
            }
            let is_plain =
                field.rule.hooked && field.rule.prompt && field.rule.write == Writer::Server;
            let is_strict = is_strict && is_plain && field.rule.read == Readers::Everyone;
            if is_strict && reported > hooks[at] {
                return Err(format!(
                    "event: {name} changed {} times, reported {reported} times",
                    hooks[at]
                ));
            }
        }
        Ok(())
    }
}

/// Checks that two fields that their owner writes together are equal.
pub(super) fn check_pairs(object: &Object, contents: &[u64]) -> Checked {
    let mut fields = object.fields.iter().zip(contents);
    while let Some((_, left)) = fields.find(|(field, _)| field.rule.name == PAIR[0]) {
        if fields.next().is_some_and(|(_, right)| right != left) {
            return Err("torn: a part of a write".into());
        }
    }
    Ok(())
}

impl Heard {
    /// Takes over the runs of calls since the last look: none runs twice, and those of the stream keep their order.
    fn take(&mut self, seen: &mut [usize; 3], calls: &Calls, is_exact: bool) -> Checked {
        for ring in &calls.rings[seen[0]..] {
            if *ring <= self.last_ring {
                return Err(format!("call: {ring} after {}", self.last_ring));
            }
            self.last_ring = *ring;
            self.expected.remove(ring);
        }
        let explosions = &calls.explosions[seen[2]..];
        for (number, state, found) in explosions {
            if is_exact && found < state {
                return Err(format!(
                    "call: {number} runs at {found}, before its state {state}"
                ));
            }
            self.expected.remove(number);
        }
        let explosions = explosions.iter().map(|(number, ..)| number);
        for number in calls.dust[seen[1]..].iter().chain(explosions) {
            if !self.once.insert(*number) {
                return Err(format!("call: {number} runs twice"));
            }
        }
        *seen = [calls.rings.len(), calls.dust.len(), calls.explosions.len()];
        Ok(())
    }
}
