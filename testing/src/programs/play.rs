//! A program on its ends: each step changes the server, a client or a link, and tells the oracle.

use std::time::Duration;

use syncvar::interest::Tag;
use syncvar::prelude::*;

use super::Checked;
use super::calls::{Buoy, Hub};
use super::ends::World;
use super::field::{Contents, Writer, number};
use super::oracle::Object;
use super::program::{Setup, Step};
use super::world::{Body, CHECKED, FIRST, KINDS, PAIR, is_legal};

impl World {
    /// Plays the steps and then lets all ends settle. Returns a hash of the packets.
    pub(super) fn play(setup: &Setup, steps: &[Step], at: &mut usize) -> Result<u64, String> {
        let mut world = Self::new(setup);
        world.begin()?;
        for (index, step) in steps.iter().enumerate() {
            *at = index;
            world.step(*step)?;
        }
        *at = steps.len();
        world.settle()?;
        Ok(world.hash)
    }

    /// Lets the clients join, and spawns the targets of calls.
    fn begin(&mut self) -> Checked {
        for kind in 0..FIRST {
            let id = self.spawn(kind, SpawnOptions::default(), None);
            self.hubs.extend(id);
        }
        (0..4).try_for_each(|_| self.run())
    }

    fn step(&mut self, step: Step) -> Checked {
        if let Step::StallClient(client, _)
        | Step::Spike(client, _)
        | Step::Tunnel(client, _)
        | Step::Cut(client)
        | Step::NotReady(client) = step
        {
            self.ends[client].view.is_exact = false;
        }
        match step {
            Step::Run(count) => return (0..count).try_for_each(|_| self.run()),
            Step::UpdateAgain => return self.update_server(),
            Step::Spawn(slot, kind, owner, hidden) => self.fill(slot, kind, owner, hidden),
            Step::Despawn(slot) => self.despawn(slot),
            Step::Write(slot, part, fields) => self.write(slot, part, fields),
            Step::WriteOwned(client, slot, part, fields) => {
                self.write_owned(client, slot, part, fields)
            }
            Step::Show(slot, client) | Step::Hide(slot, client) => {
                self.show(slot, client, matches!(step, Step::Show(..)));
            }
            Step::Own(slot, owner) => self.set_owner(slot, owner),
            Step::Group(slot, group) => self.set_group(slot, group),
            Step::Join(client, group) => {
                let joined = self
                    .server
                    .join_group(self.connection(client), Tag(group))
                    .is_ok();
                self.oracle
                    .change(|oracle| _ = joined && oracle.members[client].insert(group));
            }
            Step::Leave(client, group) => {
                let left = self
                    .server
                    .leave_group(self.connection(client), Tag(group))
                    .is_ok();
                self.oracle
                    .change(|oracle| _ = left && oracle.members[client].remove(&group));
            }
            Step::Call(is_reliable) => self.call(is_reliable),
            Step::CallAfter(is_reliable) => self.call_after(is_reliable),
            Step::Command(client, is_reliable) => self.command(client, is_reliable),
            Step::Input(client) => {
                self.count += 1;
                let input = self.count;
                if self.setup.has_inputs && self.ends[client].client.set_input(&input).is_ok() {
                    self.ends[client].input = Some(input);
                }
            }
            Step::Rewind(client, slot) => return self.rewind(client, slot),
            Step::StallClient(client, runs) => self.ends[client].stalled = runs,
            Step::StallServer(runs) => {
                self.stalled = runs;
                self.ends
                    .iter_mut()
                    .for_each(|end| end.view.is_exact = false);
            }
            Step::Spike(client, time) => {
                let until = self.now + Duration::from_millis(time);
                let end = &mut self.ends[client];
                (end.up.blocked, end.down.blocked) = (until, until);
            }
            Step::Tunnel(client, runs) => {
                let until = self.now + self.setup.interval * runs;
                let end = &mut self.ends[client];
                (end.up.lossy, end.down.lossy) = (until, until);
            }
            Step::Cut(client) if !self.ends[client].is_leaving => return self.cut(client),
            Step::Cut(_) => {}
            Step::Connect(client) => self.connect(client),
            Step::Goodbye(client) => self.say_goodbye(client),
            Step::NotReady(client) => {
                self.server.set_not_ready(self.connection(client));
                self.oracle.set_ready(client, false);
                // Calls after a state that the client does not receive.
                self.ends[client].view.heard.expected.clear();
            }
            Step::Ready(client) => {
                let end = &mut self.ends[client];
                if end.view.is_waiting && end.client.is_connected() {
                    end.client.ready();
                }
            }
        }
        Ok(())
    }

    fn spawn(&mut self, kind: usize, options: SpawnOptions, owner: Option<usize>) -> Option<NetId> {
        let is_hidden = options.hidden;
        let first = self.oracle.marks.len();
        let mut numbers = Vec::new();
        let id = (KINDS[kind].spawn)(&mut self.server, options, &mut |part, behaviour| {
            for (field, rule) in KINDS[kind].parts[part].rules.iter().enumerate() {
                numbers.push(0);
                let offset = numbers.len() as u64;
                let number = first as u64
                    + if rule.name == PAIR[1] {
                        offset - 1
                    } else {
                        offset
                    };
                if let Some(value) = behaviour
                    .field_mut(field)
                    .filter(|_| (number / 2).is_multiple_of(2))
                {
                    value.write(number);
                }
            }
        })?;
        for field in 0..numbers.len() {
            self.oracle.next_mark(id, field, None);
        }
        self.oracle.spawn(id, (kind, is_hidden), owner);
        self.oracle.change(|_| {});
        self.note(id);
        Some(id)
    }

    fn fill(&mut self, slot: usize, kind: usize, owner: Option<usize>, hidden: bool) {
        if self.slots[slot].is_some() {
            return;
        }
        let owner = owner.filter(|owner| self.oracle.ready[*owner]);
        let connection = owner.map(|owner| self.connection(owner));
        let options = SpawnOptions {
            owner: connection,
            hidden,
            ..SpawnOptions::default()
        };
        self.slots[slot] = self.spawn(kind, options, owner);
    }

    fn despawn(&mut self, slot: usize) {
        if let Some(id) = self.slots[slot].take() {
            self.server.despawn(id).expect("an object");
            self.oracle.change(|oracle| {
                if let Some(object) = oracle.objects.get_mut(&id) {
                    object.is_alive = false;
                }
            });
        }
    }

    /// Returns an object with its fields of a behaviour that a mask names: positions in the object and in the behaviour.
    fn chosen(
        &self,
        slot: usize,
        part: usize,
        fields: u16,
    ) -> Option<(NetId, &Object, Vec<(usize, usize)>)> {
        let id = self.slots[slot]?;
        let object = &self.oracle.objects[&id];
        KINDS[object.kind].parts.get(part)?;
        let chosen = object
            .fields_of(part)
            .filter(|(_, field)| fields >> field.place.1 & 1 == 1);
        let places = chosen.map(|(at, field)| (at, field.place.1));
        Some((id, object, places.collect()))
    }

    fn write(&mut self, slot: usize, part: usize, fields: u16) {
        let Some((id, object, places)) = self.chosen(slot, part, fields) else {
            return;
        };
        let has_owner = object.owner.is_some();
        let kind = object.kind;
        for (at, field) in places {
            let rule = self.oracle.objects[&id].fields[at].rule;
            // The pair is its owner's.
            if rule.write == Writer::Owner && has_owner || PAIR.contains(&rule.name) {
                continue;
            }
            let number = self.oracle.next_mark(id, at, None);
            (KINDS[kind].parts[part].change_server)(&mut self.server, id, &mut |behaviour| {
                write(behaviour, field, number);
            });
        }
        self.note(id);
    }

    fn write_owned(&mut self, client: usize, slot: usize, part: usize, fields: u16) {
        let Some((id, object, places)) = self.chosen(slot, part, fields) else {
            return;
        };
        let kind = object.kind;
        let end = &self.ends[client];
        let may_write = end.link.is_some() || end.client.session_token().is_some();
        let is_owner = may_write && end.client.is_owner(id) && !end.is_leaving;
        if !is_owner || self.ends[client].client.identity(id).is_none() {
            return;
        }
        let mut writes = Vec::new();
        for (at, field) in places {
            let rule = self.oracle.objects[&id].fields[at].rule;
            if rule.write == Writer::Server || rule.name == PAIR[1] {
                continue;
            }
            let mut number = self.oracle.next_mark(id, at, Some(client));
            if rule.name == CHECKED && !is_legal(number) && number.is_multiple_of(2) {
                number = self.oracle.next_mark(id, at, Some(client));
            }
            writes.push((field, number));
            if rule.name == PAIR[0] {
                writes.push((field + 1, number));
            }
        }
        let end = &mut self.ends[client];
        (KINDS[kind].parts[part].change_client)(&mut end.client, id, &mut |behaviour| {
            writes
                .iter()
                .for_each(|(field, number)| write(behaviour, *field, *number));
        });
        end.view
            .note_own(&end.client, id, &self.oracle.objects[&id]);
    }

    fn show(&mut self, slot: usize, client: usize, is_shown: bool) {
        let Some(id) = self.slots[slot] else { return };
        let connection = self.connection(client);
        let done = if is_shown {
            self.server.show(id, connection)
        } else {
            self.server.hide(id, connection)
        };
        if done.is_ok() {
            self.oracle.show(id, client, is_shown);
        }
    }

    fn set_owner(&mut self, slot: usize, owner: Option<usize>) {
        let Some(id) = self.slots[slot] else { return };
        let connection = owner.map(|owner| self.connection(owner));
        if self.server.set_owner(id, connection).is_ok() {
            self.oracle.change(|oracle| {
                if let Some(object) = oracle.objects.get_mut(&id) {
                    object.owner = owner;
                }
            });
        }
    }

    fn set_group(&mut self, slot: usize, group: Option<u64>) {
        let Some(id) = self.slots[slot] else { return };
        self.server
            .set_group(id, group.map(Tag))
            .expect("an object");
        self.oracle.change(|oracle| {
            if let Some(object) = oracle.objects.get_mut(&id) {
                object.group = group;
            }
        });
    }

    fn call(&mut self, is_reliable: bool) {
        self.count += 1;
        let number = self.count;
        if is_reliable {
            self.server
                .calls::<Hub>(self.hubs[0])
                .ring(number)
                .expect("a call");
            self.expect(number);
        } else {
            self.server
                .calls::<Buoy>(self.hubs[1])
                .dust(number)
                .expect("a call");
        }
    }

    fn call_after(&mut self, is_reliable: bool) {
        self.count += 1;
        let id = self.hubs[usize::from(!is_reliable)];
        let (number, state) = (self.count, self.oracle.next_mark(id, 0, None));
        let kind = self.oracle.objects[&id].kind;
        (KINDS[kind].parts[0].change_server)(&mut self.server, id, &mut |hub| write(hub, 0, state));
        self.note(id);
        let called = if is_reliable {
            self.server.calls::<Hub>(id).explode(number, state)
        } else {
            self.server.calls::<Buoy>(id).explode(number, state)
        };
        called.expect("a call");
        self.expect(number);
    }

    /// Lets all present clients expect a call.
    fn expect(&mut self, number: u64) {
        for (end, ready) in self.ends.iter_mut().zip(&self.oracle.ready) {
            if *ready {
                end.view.heard.expected.insert(number);
            }
        }
    }

    fn command(&mut self, client: usize, is_reliable: bool) {
        self.count += 1;
        let (number, hubs) = (self.count, &self.hubs);
        let end = &mut self.ends[client];
        if !is_reliable {
            _ = end.client.calls::<Buoy>(hubs[1]).hint(number);
        } else if end.client.calls::<Hub>(hubs[0]).order(number).is_ok() {
            end.ordered.insert(number);
        }
    }

    fn rewind(&mut self, client: usize, slot: usize) -> Checked {
        let Some(id) = self.slots[slot] else {
            return Ok(());
        };
        let connection = self.connection(client);
        let seen = self
            .server
            .rewind(connection, |past| past.view::<Body>(id)?.get(Body::PLACE));
        let Some(seen) = seen.as_ref().map(number) else {
            return Ok(());
        };
        let object = &self.oracle.objects[&id];
        let place = object
            .fields
            .iter()
            .find(|field| field.rule.name == "place")
            .expect("a place");
        let is_known = place.history.iter().any(|written| written.content == seen);
        if is_known {
            Ok(())
        } else {
            Err(format!("rewind: {seen} was never the place of {id}"))
        }
    }
}

fn write(behaviour: &mut dyn Contents, field: usize, number: u64) {
    if let Some(value) = behaviour.field_mut(field) {
        value.write(number);
    }
}
