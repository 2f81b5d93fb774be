//! Input, update and output of a zone, and their order.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use syncvar_net::TickRecord;
use syncvar_runtime::{NetId, NetworkIdentity};

use super::handovers::{Offer, Reception, Settlement};
use super::message::{ZoneCall, answers_from_bytes};
use super::notes;
use super::object_state::ObjectState;
use super::{IDS, Zone, ZoneEvent, ZoneProgram};
use crate::zone::ZoneId;
use crate::{Carrier, CarrierEvent, NodeId, Question, QuestionId, Topic};

/// Updates in which every object is placed once, also without a change in a record.
const SWEEP: u32 = 32;

impl Zone {
    /// Takes the input of the carrier: leases, objects that arrive, commands, records of neighbours. `now` is the time since a fixed
    /// moment.
    pub fn receive(
        &mut self,
        carrier: &mut impl Carrier,
        now: Duration,
        program: &mut dyn ZoneProgram,
    ) {
        carrier.update(now);
        let next = self.server.next_id().map_or(u32::MAX, |id| id.0);
        self.membership.update(carrier, next, now);
        self.note_activity(now);
        while let Some(event) = carrier.poll() {
            match event {
                CarrierEvent::Record {
                    publisher,
                    topic,
                    bytes,
                } if topic == self.config.zone.border() => {
                    self.ghosts.take_record(publisher, &bytes, now);
                }
                CarrierEvent::Asked { from, id, question } => {
                    self.take_question(carrier, from, id, &question, now, program);
                }
                CarrierEvent::Answered { id, answer } => {
                    self.take_answer(carrier, id, answer.as_ref(), now, program);
                }
                CarrierEvent::Record { .. } | CarrierEvent::Joined(_) | CarrierEvent::Left(_) => {}
            }
        }
        self.note_activity(now);
        self.run_calls();
        self.end_silent_gateways(now);
        self.ghosts.update(carrier, &self.membership.directory, now);
    }

    /// Hands objects over, and updates the server. Returns whether the zone is active; otherwise nothing happens.
    pub fn update(&mut self, now: Duration, program: &mut dyn ZoneProgram) -> bool {
        self.note_activity(now);
        if !self.is_active() {
            return false;
        }
        self.place_objects(program);
        self.write_notes();
        self.server.update(now);
        let records: Vec<TickRecord> = self
            .server
            .records_after(self.outgoing.seq)
            .cloned()
            .collect();
        for record in records {
            self.outgoing.seq = record.seq();
            if !record.is_keyframe() {
                self.residents.unplaced.extend(changed_objects(&record));
                let epoch = |object| self.residents.epoch(object);
                let borders = &mut self.records.borders;
                let records = borders.write(&mut self.server, &record, epoch);
                self.outgoing.published.extend(records);
                let gateways = &mut self.records.gateways;
                let zone = self.config.zone;
                gateways.write(&mut self.server, &self.residents, zone, &record);
            }
        }
        true
    }

    /// Publishes the records of the last updates, and sends offers and answers. If a journal runs, the program has
    /// taken and written its records before: while records are left, nothing is sent.
    pub fn transmit(&mut self, carrier: &mut impl Carrier, now: Duration) {
        self.note_activity(now);
        if !self.is_active() || !self.server.is_journal_taken() {
            return;
        }
        self.records.origin.publish(&mut self.server, carrier);
        for (topic, record) in self.outgoing.published.drain(..) {
            carrier.publish(topic, record);
        }
        let epoch = |object| self.residents.epoch(object);
        for (node, id, bytes) in self.records.borders.answer(&mut self.server, epoch) {
            carrier.answer(node, id, bytes);
        }
        let zone = self.config.zone;
        let gateways = &mut self.records.gateways;
        gateways.send(carrier, &mut self.server, &self.residents, zone);
        let (residents, ghosts) = (&self.residents, &self.ghosts);
        let hint = |object| {
            residents
                .left_to(object)
                .or_else(|| Some(ghosts.find(object)?.0))
        };
        let directory = &self.membership.directory;
        let own = self.config.zone;
        self.mail
            .send(carrier, &residents.handovers, directory, hint, own);
    }

    /// Notes whether the lease is held.
    fn note_activity(&mut self, now: Duration) {
        let is_held = self.membership.lease.is_held(now);
        if is_held == self.membership.is_active {
            return;
        }
        self.membership.is_active = is_held;
        self.records.gateways.hear_all(now);
        if is_held {
            self.begin_numbers();
        }
        self.events.push_back(if is_held {
            ZoneEvent::Activated
        } else {
            ZoneEvent::Frozen
        });
    }

    /// Begins the ids of objects and the numbers of offers above those of the processes before, whose journal may be missing.
    fn begin_numbers(&mut self) {
        let ids = self.membership.lease.ids();
        if ids / IDS == self.config.zone.0 {
            self.server.set_next_id(NetId(ids));
        }
        let term = self.membership.lease.term();
        self.residents.handovers.begin_offers(term);
    }

    fn take_question(
        &mut self,
        carrier: &mut impl Carrier,
        from: NodeId,
        id: QuestionId,
        question: &Question,
        now: Duration,
        program: &mut dyn ZoneProgram,
    ) {
        match question {
            Question::Keyframe(Topic::GATEWAY) => {
                self.server.request_keyframe();
                let gateways = &mut self.records.gateways;
                gateways.take_question(&mut self.server, (from, id), self.outgoing.seq);
            }
            Question::Keyframe(topic) if *topic != Topic::WORLD => {
                self.server.request_keyframe();
                self.records
                    .borders
                    .take_question(*topic, from, id, self.outgoing.seq);
            }
            Question::Call(bytes) => match ZoneCall::from_bytes(bytes) {
                Some(ZoneCall::Lease(request)) => {
                    let answer = self.membership.take_request(from, &request, now);
                    carrier.answer(from, id, answer);
                }
                Some(ZoneCall::Offers {
                    from: zone,
                    to,
                    offers,
                }) if to == self.config.zone => {
                    self.take_offers((from, id), zone, &offers, program);
                }
                Some(ZoneCall::Commands(commands)) if self.is_active() => {
                    self.mail.take_commands((from, id), commands);
                }
                Some(call) if self.is_active() => {
                    self.take_gateway_call(carrier, (from, id), call, now);
                }
                Some(_) => {}
                None => {
                    let origin = &mut self.records.origin;
                    origin.take_question(&mut self.server, carrier, from, id, question);
                }
            },
            Question::Keyframe(_) => {
                self.records
                    .origin
                    .take_question(&mut self.server, carrier, from, id, question);
            }
        }
    }

    /// Takes objects from a neighbour.
    fn take_offers(
        &mut self,
        question: (NodeId, QuestionId),
        from: ZoneId,
        offers: &[Offer],
        program: &mut dyn ZoneProgram,
    ) {
        if !self.is_active() {
            return;
        }
        let mut answers = Vec::new();
        for offer in offers {
            let state = ObjectState::from_bytes(&offer.state);
            let is_new = self.residents.handovers.is_new(from, offer);
            let admits = is_new
                && !self
                    .residents
                    .handovers
                    .residences
                    .contains_key(&offer.object)
                && state
                    .as_ref()
                    .is_some_and(|state| state.insert(&mut self.server, offer.object, program));
            match self.residents.handovers.take_offer(from, offer, admits) {
                Reception::Admitted(answer) => {
                    answers.push(answer);
                    let object = offer.object;
                    self.settle(object, state.and_then(|state| state.parent));
                    self.events.push_back(ZoneEvent::Arrived { object, from });
                }
                Reception::Known(answer) => answers.push(answer),
                Reception::Late => {}
            }
        }
        self.mail.answer_offers(question, answers);
    }

    /// Places an object that has arrived or returned, below its parent.
    fn settle(&mut self, object: NetId, parent: Option<NetId>) {
        self.residents.changed.insert(object);
        self.residents.unplaced.insert(object);
        self.residents.moved.remove(&object);
        if let Some(parent) = parent
            && self.server.set_parent(object, Some(parent)).is_err()
        {
            let orphans = self.residents.orphans.entry(parent).or_default();
            orphans.insert(object);
        }
        for child in self.residents.orphans.remove(&object).unwrap_or_default() {
            // It may have left again.
            let _ = self.server.set_parent(child, Some(object));
        }
    }

    fn take_answer(
        &mut self,
        carrier: &mut impl Carrier,
        id: QuestionId,
        answer: Option<&Bytes>,
        now: Duration,
        program: &mut dyn ZoneProgram,
    ) {
        if self.membership.take_answer(id, answer, now)
            || self.ghosts.take_answer(carrier, id, answer, now)
        {
            return;
        }
        let Some(zone) = self.mail.take_answer(id).filter(|_| self.is_active()) else {
            return;
        };
        for answer in answer
            .and_then(|bytes| answers_from_bytes(bytes))
            .unwrap_or_default()
        {
            match self.residents.handovers.take_answer(zone, answer) {
                Some(Settlement::Moved(object)) => {
                    self.residents.note_moved(object, zone);
                    self.events.push_back(ZoneEvent::Left { object, to: zone });
                }
                Some(Settlement::Returned(object, state)) => {
                    if let Some(state) = ObjectState::from_bytes(&state) {
                        state.insert(&mut self.server, object, program);
                        self.settle(object, state.parent);
                    }
                    let to = zone;
                    self.events.push_back(ZoneEvent::Returned { object, to });
                }
                None => {}
            }
        }
    }

    /// Places the changed objects, and in turn a part of the unchanged objects.
    fn place_objects(&mut self, program: &mut dyn ZoneProgram) {
        let residents = &mut self.residents;
        residents.updates = residents.updates.wrapping_add(1);
        let turn = residents.updates % SWEEP;
        let objects = self.server.identities().map(NetworkIdentity::net_id);
        let due = objects.filter(|object| object.0 % SWEEP == turn);
        residents.unplaced.extend(due);
        if turn == 0 {
            residents.forget_ended(&self.server);
        }
        let mut leaving = std::mem::take(&mut residents.ordered);
        for object in std::mem::take(&mut residents.unplaced) {
            if self.server.identity(object).is_none() {
                self.records.borders.place(object, &BTreeSet::new());
                continue;
            }
            self.check_id(object);
            let root = self.server.ancestors(object).last().unwrap_or(object);
            let here = self.config.zone;
            let Some(home) = self.partition.0.home(&self.server, root, here) else {
                continue;
            };
            self.records.borders.place(object, &home.ghosts);
            if home.zone != here && self.membership.directory.node(home.zone).is_some() {
                leaving.entry(root).or_insert(home.zone);
            }
        }
        for (object, to) in leaving {
            self.depart(object, to, program);
        }
    }

    /// Reports a new object with an id that is not of this zone, once.
    fn check_id(&mut self, object: NetId) {
        let residents = &mut self.residents;
        let is_own = object.0 / IDS == self.config.zone.0;
        if !is_own && !residents.handovers.residences.contains_key(&object) {
            residents.handovers.spawn(object);
            residents.changed.insert(object);
            self.events.push_back(ZoneEvent::ForeignId(object));
        }
    }

    /// Begins the handover of an object and its descendants.
    fn depart(&mut self, object: NetId, to: ZoneId, program: &mut dyn ZoneProgram) {
        let mut family = vec![object];
        let mut place = 0;
        while let Some(parent) = family.get(place).copied() {
            family.extend(self.server.children(parent));
            place += 1;
        }
        let mut states = Vec::new();
        for object in family {
            if self.server.identity(object).is_none() {
                return;
            }
            match ObjectState::of(&mut self.server, object, program) {
                Ok(state) => states.push((object, state.to_bytes())),
                Err(error) => {
                    tracing::error!(%object, %error, "an object cannot leave its zone");
                    return;
                }
            }
        }
        for (object, state) in states {
            self.server.remove_silently(object);
            self.residents.handovers.spawn(object);
            self.residents.handovers.depart(object, to, state);
            self.residents.changed.insert(object);
            self.records.borders.place(object, &BTreeSet::new());
        }
    }

    /// Writes the state of the handovers into the next record of the journal.
    pub(super) fn write_notes(&mut self) {
        let changed = std::mem::take(&mut self.residents.changed);
        notes::write(&mut self.server, &self.residents.handovers, &changed);
        notes::write_term(&mut self.server, self.membership.lease.term());
    }
}

/// Returns the objects with an entry in a record.
fn changed_objects(record: &TickRecord) -> BTreeSet<NetId> {
    let mut objects = BTreeSet::new();
    for item in record.items() {
        objects.extend(item.parts().filter_map(|part| part.object));
    }
    objects
}
