//! `Membership`: the lease of this zone, the vote of this process, and the holders of all zones.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;

use super::lease::{Lease, LeaseAnswer, LeaseRequest, Voter};
use super::message::ZoneCall;
use crate::zone::{ZoneConfig, ZoneId};
use crate::{Carrier, NodeId, Question, QuestionId};

/// Questions for a lease in the time of a lease.
const QUESTIONS: u32 = 8;

/// Most new objects of a zone between two questions for its lease.
const MAX_NEW: u32 = 4096;

/// Time of an attempt to be elected, in leases.
const ATTEMPT: u32 = 4;

/// Process that holds the lease of a zone.
#[derive(Clone, Copy, Debug)]
struct Holder {
    node: NodeId,
    term: u64,
}

/// Holders of the zones, as their requests name them.
#[derive(Debug, Default)]
pub(crate) struct Directory(BTreeMap<ZoneId, Holder>);

impl Directory {
    /// Learns from a request for a lease.
    pub(crate) fn learn(&mut self, from: NodeId, request: &LeaseRequest) {
        let known = self.0.get(&request.zone);
        if request.is_held && known.is_none_or(|known| request.term >= known.term) {
            let (node, term) = (from, request.term);
            self.0.insert(request.zone, Holder { node, term });
        }
    }

    /// Returns the holder of a zone.
    pub(crate) fn node(&self, zone: ZoneId) -> Option<NodeId> {
        Some(self.0.get(&zone)?.node)
    }

    /// Returns the zones with their holders.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (ZoneId, NodeId)> {
        self.0.iter().map(|(zone, holder)| (*zone, holder.node))
    }
}

#[derive(Debug)]
pub(super) struct Membership {
    pub(super) lease: Lease,
    pub(super) directory: Directory,
    /// Whether the lease is held, as of the last look.
    pub(super) is_active: bool,
    voter: Voter,
    /// Questions to the voters, with their receivers and moments.
    asked: BTreeMap<QuestionId, (NodeId, Duration)>,
    /// Moments of the first and the last questions.
    first: Option<Duration>,
    last: Option<Duration>,
    interval: Duration,
}

impl Membership {
    pub(super) fn new(config: &ZoneConfig) -> Self {
        Self {
            lease: Lease::new(config.zone, 1, &config.voters, config.lease),
            directory: Directory::default(),
            is_active: false,
            voter: Voter::new(config.voter, config.lease),
            asked: BTreeMap::new(),
            first: None,
            last: None,
            interval: config.lease / QUESTIONS,
        }
    }

    /// Asks all voters, also the own one, for the lease. `next` is the id of the next object.
    pub(super) fn update(&mut self, carrier: &mut impl Carrier, next: u32, now: Duration) {
        let is_early = { self.last }.is_some_and(|last| now.saturating_sub(last) < self.interval);
        if is_early || self.lease.is_superseded() || self.pauses(carrier.id(), now) {
            return;
        }
        self.last = Some(now);
        let request = self.lease.request(next.saturating_add(MAX_NEW), now);
        let own = self.voter.decide(carrier.id(), &request, now);
        self.lease.take_answer(carrier.id(), &own, now, now);
        let call = ZoneCall::Lease(request).to_bytes();
        for node in carrier.nodes() {
            let id = carrier.ask(node.id, Question::Call(call.clone()));
            self.asked.insert(id, (node.id, now));
        }
    }

    /// Returns whether a candidate lets its votes end, after the time of some leases without success.
    fn pauses(&mut self, own: NodeId, now: Duration) -> bool {
        let lease = self.interval * QUESTIONS;
        let since = now.saturating_sub(*self.first.get_or_insert(now));
        let pause = 2 + u32::try_from(own.0 % 4).unwrap_or_default();
        let period = lease * (ATTEMPT + pause);
        let phase = since.as_nanos() % period.as_nanos().max(1);
        !self.lease.was_held() && phase >= (lease * ATTEMPT).as_nanos()
    }

    /// Decides about a request of a node. Returns the answer.
    pub(super) fn take_request(
        &mut self,
        from: NodeId,
        request: &LeaseRequest,
        now: Duration,
    ) -> Bytes {
        self.directory.learn(from, request);
        self.voter.decide(from, request, now).to_bytes()
    }

    /// Takes the answer to a question for the lease. Returns whether it was one.
    pub(super) fn take_answer(
        &mut self,
        id: QuestionId,
        answer: Option<&Bytes>,
        now: Duration,
    ) -> bool {
        let Some((node, asked)) = self.asked.remove(&id) else {
            return false;
        };
        if let Some(answer) = answer.and_then(|bytes| LeaseAnswer::from_bytes(bytes)) {
            self.lease.take_answer(node, &answer, asked, now);
        }
        true
    }
}
