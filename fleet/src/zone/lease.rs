//! `Lease` and `Voter`: at most one process is a zone at a time.
//!
//! A process is a zone while the majority of the voters has granted it the lease of the zone. A voter grants the lease of a zone to
//! one process at a time, and two majorities have a common voter. So two processes never hold the lease at once, however the
//! network is parted.
//!
//! ```text
//! holder   |-- asks ------------------------------------- until: + lease - margin, from the moment of the question
//! voter         |-- grants ------------------------------------------ until: + lease, from the moment of its arrival
//! ```
//!
//! The holder counts from the question, and the voter from its arrival, so the holder stops first. The margin is for clocks that run at
//! different rates, and for the time between an update and the write of its journal. A voter keeps its grants in memory: after its
//! start it grants nothing for the time of a lease, because the process before it may have granted a lease.
//!
//! A holder whose lease has ended may hold it again, if no process had it in between. It therefore counts the voters alone that have
//! granted it before and run since: a voter that has started again may have forgotten a grant to a second process.
//!
//! Two candidates may have a part of the voters each. A candidate without success therefore pauses for more than a lease, for a time that
//! depends on its number.
//!
//! The *term* of a zone is higher for each new holder. Nodes follow the holder with the highest term.
//!
//! The holder tells the voters which ids it gives to new objects up to its next question. A process without the journal of the one before it
//! begins above them, so that no id comes twice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::NodeId;
use crate::zone::{VoterId, ZoneId};

/// Request for the lease of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeaseRequest {
    pub(crate) zone: ZoneId,
    pub(crate) term: u64,
    /// Whether the sender holds the lease.
    pub(crate) is_held: bool,
    /// Lowest id that no object has up to the next question; 0 for a candidate.
    pub(crate) ids: u32,
}

/// Answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeaseAnswer {
    /// The voter; `None` for a node without a vote.
    pub(crate) voter: Option<VoterId>,
    pub(crate) granted: bool,
    /// Highest term of a grant of the zone.
    pub(crate) term: u64,
    /// Lowest id that no object of a holder before has had.
    pub(crate) ids: u32,
}

/// Grant of a voter.
#[derive(Clone, Copy, Debug)]
struct Grant {
    holder: NodeId,
    term: u64,
    until: Duration,
    /// Highest number of the holders.
    ids: u32,
}

/// Grants of a voter.
#[derive(Debug)]
pub(crate) struct Voter {
    id: Option<VoterId>,
    lease: Duration,
    started: Option<Duration>,
    grants: BTreeMap<ZoneId, Grant>,
}

impl Voter {
    /// Creates a voter, or a node without a vote.
    pub(crate) fn new(id: Option<VoterId>, lease: Duration) -> Self {
        Self {
            id,
            lease,
            started: None,
            grants: BTreeMap::new(),
        }
    }

    /// Decides about a request.
    pub(crate) fn decide(
        &mut self,
        from: NodeId,
        request: &LeaseRequest,
        now: Duration,
    ) -> LeaseAnswer {
        let started = *self.started.get_or_insert(now);
        let known = self.grants.get(&request.zone).copied();
        let term = known.map_or(0, |grant| grant.term);
        let ids = known.map_or(0, |grant| grant.ids).max(request.ids);
        let granted = match known {
            _ if self.id.is_none() || now < started + self.lease => false,
            Some(grant) if grant.holder == from => request.term >= grant.term,
            Some(grant) => grant.until <= now && request.term > grant.term,
            // The holder asks soon: a candidate waits for it.
            None => request.is_held || now >= started + 2 * self.lease,
        };
        if granted {
            let grant = Grant {
                holder: from,
                term: request.term,
                until: now + self.lease,
                ids,
            };
            self.grants.insert(request.zone, grant);
        }
        LeaseAnswer {
            voter: self.id,
            granted,
            term: term.max(if granted { request.term } else { 0 }),
            ids,
        }
    }
}

/// Vote of a process.
#[derive(Clone, Copy, Debug)]
struct Granted {
    process: NodeId,
    /// Moment of the last granted question.
    asked: Duration,
}

/// Lease of a zone, at its holder.
#[derive(Debug)]
pub(crate) struct Lease {
    zone: ZoneId,
    term: u64,
    voters: BTreeSet<VoterId>,
    duration: Duration,
    granted: BTreeMap<VoterId, Granted>,
    /// Voters that have started again since the lease has ended.
    forgetful: BTreeSet<VoterId>,
    /// Whether the lease was held in this term.
    was_held: bool,
    /// Whether a voter knows a higher term.
    is_superseded: bool,
    /// Lowest id that no object has had, as the voters know.
    ids: u32,
}

impl Lease {
    /// Begins without the lease, with a term above all terms that the process knows.
    pub(crate) fn new(zone: ZoneId, term: u64, voters: &[VoterId], duration: Duration) -> Self {
        Self {
            zone,
            term,
            voters: voters.iter().copied().collect(),
            duration,
            granted: BTreeMap::new(),
            forgetful: BTreeSet::new(),
            was_held: false,
            is_superseded: false,
            ids: 0,
        }
    }

    pub(crate) fn term(&self) -> u64 {
        self.term
    }

    /// Raises the term. The voters have granted the lease to this process, in whichever term.
    pub(crate) fn raise(&mut self, term: u64) {
        self.term = self.term.max(term);
    }

    /// Returns the lowest id that no object of a holder before has had.
    pub(crate) fn ids(&self) -> u32 {
        self.ids
    }

    /// Returns whether the lease was held.
    pub(crate) fn was_held(&self) -> bool {
        self.was_held
    }

    /// Returns the moment up to which the lease is held.
    fn until(&self) -> Option<Duration> {
        let mut granted: Vec<_> = self.granted.values().map(|it| it.asked).collect();
        granted.sort_unstable_by(|one, two| two.cmp(one));
        let majority = self.voters.len() / 2;
        Some(*granted.get(majority)? + self.duration / 4 * 3)
    }

    /// Returns whether the lease is held.
    pub(crate) fn is_held(&self, now: Duration) -> bool {
        !self.is_superseded && self.until().is_some_and(|until| now < until)
    }

    /// Returns whether a later holder has the zone: this process is out of date for ever.
    pub(crate) fn is_superseded(&self) -> bool {
        self.is_superseded
    }

    /// Returns the next question. `ids` is the lowest id that no object has up to the question behind it.
    pub(crate) fn request(&self, ids: u32, now: Duration) -> LeaseRequest {
        let is_held = self.is_held(now);
        LeaseRequest {
            zone: self.zone,
            term: self.term,
            is_held,
            ids: if is_held { ids } else { 0 },
        }
    }

    /// Takes the answer of a process to a question of the moment `asked`.
    pub(crate) fn take_answer(
        &mut self,
        process: NodeId,
        answer: &LeaseAnswer,
        asked: Duration,
        now: Duration,
    ) {
        let Some(voter) = answer.voter.filter(|voter| self.voters.contains(voter)) else {
            return;
        };
        self.ids = self.ids.max(answer.ids);
        if answer.granted && answer.term <= self.term {
            self.count(voter, Granted { process, asked }, now);
            self.was_held |= self.is_held(now);
        } else if answer.term > self.term && self.was_held {
            // A candidate with a minority cannot take a held lease.
            self.is_superseded |= !self.is_held(now);
        } else if answer.term >= self.term && !self.was_held {
            // An earlier holder, or a second candidate.
            self.term = answer.term + 1;
        }
    }

    /// Counts a vote.
    fn count(&mut self, voter: VoterId, vote: Granted, now: Duration) {
        let known = self.granted.get(&voter).copied();
        let is_known = known.is_some_and(|known| known.process == vote.process);
        if self.was_held && !self.is_held(now) && !is_known {
            self.forgetful.insert(voter);
            let others = self.voters.len() - self.forgetful.len();
            self.is_superseded |= others <= self.voters.len() / 2;
            return;
        }
        let asked = known
            .filter(|_| is_known)
            .map_or(vote.asked, |known| known.asked.max(vote.asked));
        self.forgetful.remove(&voter);
        self.granted.insert(voter, Granted { asked, ..vote });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const LEASE: Duration = Duration::from_secs(2);
    const ZONE: ZoneId = ZoneId(1);

    fn voters() -> Vec<Voter> {
        let voter = |id| Voter::new(Some(VoterId(id)), LEASE);
        let mut voters: Vec<_> = (1..=3).map(voter).collect();
        for voter in &mut voters {
            voter.started = Some(Duration::ZERO);
        }
        voters
    }

    fn lease() -> Lease {
        Lease::new(ZONE, 1, &[VoterId(1), VoterId(2), VoterId(3)], LEASE)
    }

    fn ask(lease: &mut Lease, node: u64, voter: &mut Voter, now: Duration) {
        let answer = voter.decide(NodeId(node), &lease.request(0, now), now);
        let process = NodeId(100 + u64::from(voter.id.unwrap().0));
        lease.take_answer(process, &answer, now, now);
    }

    #[test]
    fn a_majority_grants_a_lease_that_ends() {
        let (mut voters, mut one) = (voters(), lease());
        ask(&mut one, 1, &mut voters[0], 1000 * MS);
        ask(&mut one, 1, &mut voters[1], 1000 * MS);
        assert!(
            !one.is_held(1000 * MS),
            "a voter that has just started grants nothing"
        );
        ask(&mut one, 1, &mut voters[0], 4000 * MS);
        assert!(!one.is_held(4000 * MS), "one of three is no majority");
        ask(&mut one, 1, &mut voters[1], 4000 * MS);
        assert!(one.is_held(5499 * MS) && !one.is_held(5500 * MS));
    }

    #[test]
    fn a_second_process_takes_an_ended_lease_alone() {
        let (mut voters, mut one, mut two) = (voters(), lease(), lease());
        for voter in &mut voters[..2] {
            ask(&mut one, 1, voter, 4000 * MS);
        }
        for now in [4100, 5500, 5999] {
            for voter in &mut voters {
                ask(&mut two, 2, voter, now * MS);
            }
            assert!(!two.is_held(now * MS));
        }
        for _ in 0..2 {
            for voter in &mut voters {
                ask(&mut two, 2, voter, 8000 * MS);
            }
        }
        assert!(two.is_held(8000 * MS) && two.term() > one.term());
        assert!(!one.is_held(8000 * MS));
        for voter in &mut voters {
            ask(&mut one, 1, voter, 8001 * MS);
        }
        assert!(one.is_superseded() && !one.is_held(8001 * MS));
    }

    #[test]
    fn voters_know_the_ids_of_the_holder_before() {
        let (mut voters, mut one, mut two) = (voters(), lease(), lease());
        for voter in &mut voters[..2] {
            ask(&mut one, 1, voter, 4000 * MS);
        }
        for voter in &mut voters[..2] {
            let request = one.request(700, 4100 * MS);
            voter.decide(NodeId(1), &request, 4100 * MS);
        }
        for _ in 0..2 {
            // A majority has a voter of the former one.
            for voter in &mut voters[1..] {
                ask(&mut two, 2, voter, 8000 * MS);
            }
        }
        assert!(two.is_held(8000 * MS));
        assert_eq!((one.ids(), two.ids()), (0, 700));
    }

    #[test]
    fn forgetful_voters_do_not_renew_an_ended_lease() {
        let (mut voters, mut one) = (voters(), lease());
        for voter in &mut voters[..2] {
            ask(&mut one, 1, voter, 4000 * MS);
        }
        assert!(one.is_held(5000 * MS));
        // The voters start again, and a second process may have had the lease meanwhile.
        for now in [20_000, 20_001] {
            for voter in &mut voters[..2] {
                let answer = LeaseAnswer {
                    voter: voter.id,
                    granted: true,
                    term: one.term(),
                    ids: 0,
                };
                one.take_answer(NodeId(200), &answer, now * MS, now * MS);
            }
            assert!(!one.is_held(now * MS));
        }
        assert!(one.is_superseded());
    }

    #[test]
    fn voters_with_memory_renew_an_ended_lease() {
        let (mut voters, mut one) = (voters(), lease());
        for now in [4000, 20_000] {
            for voter in &mut voters[..2] {
                ask(&mut one, 1, voter, now * MS);
            }
            assert!(one.is_held((now + 1000) * MS));
        }
    }
}
