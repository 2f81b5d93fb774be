//! `Mail`: questions and answers of a zone that wait for the journal, and offers on their way.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use syncvar_runtime::NetId;

use super::handovers::{Handovers, OfferAnswer};
use super::membership::Directory;
use super::message::{CommandState, CommandStates, NumberedCommand, ZoneCall, answers_to_bytes};
use crate::zone::{ClientId, ZoneId};
use crate::{Carrier, NodeId, Question, QuestionId};

/// Most bytes of the offers in one message, apart from the first offer.
const MAX_OFFERS: usize = 256 << 10;

/// Most commands that wait for the program. Senders repeat commands beyond them.
const MAX_COMMANDS: usize = 16_384;

/// Question of a node that has an answer behind the next write of the journal.
pub(super) type Asked = (NodeId, QuestionId);

#[derive(Debug, Default)]
pub(super) struct Mail {
    /// Commands that the program has not taken.
    commands: VecDeque<NumberedCommand>,
    /// Calls of players of gateways.
    calls: VecDeque<NumberedCommand>,
    /// Questions with commands, and the senders and objects of the commands.
    command_questions: Vec<(Asked, Vec<(ClientId, NetId)>)>,
    offer_answers: Vec<(Asked, Vec<OfferAnswer>)>,
    /// Numbers of the offers on their way, by question.
    on_way: BTreeMap<QuestionId, (ZoneId, Vec<u64>)>,
}

impl Mail {
    /// Adds the answers to the offers of a question.
    pub(super) fn answer_offers(&mut self, question: Asked, answers: Vec<OfferAnswer>) {
        self.offer_answers.push((question, answers));
    }

    /// Takes the commands of a question.
    pub(super) fn take_commands(&mut self, question: Asked, commands: Vec<NumberedCommand>) {
        let keys = commands.iter().map(|it| (it.client, it.object)).collect();
        self.command_questions.push((question, keys));
        let room = MAX_COMMANDS.saturating_sub(self.commands.len());
        self.commands.extend(commands.into_iter().take(room));
    }

    /// Takes the calls of a question.
    pub(super) fn take_calls(&mut self, question: Asked, calls: Vec<NumberedCommand>) {
        let keys = calls.iter().map(|it| (it.client, it.object)).collect();
        self.command_questions.push((question, keys));
        self.calls.extend(calls);
    }

    /// Takes the next call.
    pub(super) fn next_call(&mut self) -> Option<NumberedCommand> {
        self.calls.pop_front()
    }

    /// Takes the next command for the program.
    pub(super) fn next_command(&mut self) -> Option<NumberedCommand> {
        self.commands.pop_front()
    }

    /// Takes the end of a question with offers. Returns the zone, or none for a different question.
    pub(super) fn take_answer(&mut self, id: QuestionId) -> Option<ZoneId> {
        Some(self.on_way.remove(&id)?.0)
    }

    /// Sends the answers, and the offers that are not on their way.
    pub(super) fn send(
        &mut self,
        carrier: &mut impl Carrier,
        handovers: &Handovers,
        directory: &Directory,
        hint: impl Fn(NetId) -> Option<ZoneId>,
        own: ZoneId,
    ) {
        for ((node, id), answers) in self.offer_answers.drain(..) {
            carrier.answer(node, id, answers_to_bytes(&answers));
        }
        for ((node, id), keys) in self.command_questions.drain(..) {
            let state =
                |(client, object): &(ClientId, NetId)| match handovers.applied(*object, *client) {
                    Some(number) => CommandState::Applied(number),
                    None => CommandState::Elsewhere(hint(*object)),
                };
            let states = CommandStates(keys.iter().map(state).collect());
            carrier.answer(node, id, states.to_bytes());
        }
        let on_way: BTreeSet<_> = { self.on_way.values() }
            .flat_map(|(zone, numbers)| numbers.iter().map(|number| (*zone, *number)))
            .collect();
        let mut batches: BTreeMap<ZoneId, Vec<_>> = BTreeMap::new();
        for (to, offer) in handovers.offers() {
            if !on_way.contains(&(to, offer.number)) && directory.node(to).is_some() {
                batches.entry(to).or_default().push(offer);
            }
        }
        for (to, offers) in batches {
            let Some(node) = directory.node(to) else {
                continue;
            };
            let mut offers = offers.into_iter().peekable();
            while offers.peek().is_some() {
                let (mut batch, mut length) = (Vec::new(), 0);
                while let Some(offer) =
                    offers.next_if(|it| length == 0 || length + it.state.len() <= MAX_OFFERS)
                {
                    length += offer.state.len();
                    batch.push(offer);
                }
                let numbers = batch.iter().map(|offer| offer.number).collect();
                let (from, offers) = (own, batch);
                let call: Bytes = ZoneCall::Offers { from, to, offers }.to_bytes();
                let id = carrier.ask(node, Question::Call(call));
                self.on_way.insert(id, (to, numbers));
            }
        }
    }
}
