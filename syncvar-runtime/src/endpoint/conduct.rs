//! `Conduct`: messages, work and misbehaviour of a connection; `Intake`: the input of a server.

use std::time::Duration;

use crate::clock::{Bucket, Rate};
use crate::limits::ReadBudget;
use crate::{CommandRefusal, Limits, ReadErrorKind};

/// Input of a connection of a server: messages per second, work and misbehaviour.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conduct {
    messages: Bucket,
    /// Number of the update to which `work` belongs.
    update: u64,
    work: usize,
    /// Points of misbehaviour at the time `scored`.
    score: f64,
    scored: Duration,
}

/// Weight of a misbehaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    /// Valid, but too late, too often, or without permission: 1 point. Honest clients cause it when an
    /// object changes its owner or is despawned.
    Ignored,
    /// Valid, but with more elements, memory, work or depth than allowed: 10 points.
    Excessive,
    /// Malformed or impossible: 100 points. Honest clients never cause it.
    Invalid,
}

impl Misbehaviour {
    /// Returns the points.
    #[inline]
    pub const fn points(self) -> u32 {
        match self {
            Self::Ignored => 1,
            Self::Excessive => 10,
            Self::Invalid => 100,
        }
    }
}

impl From<ReadErrorKind> for Misbehaviour {
    fn from(kind: ReadErrorKind) -> Self {
        match kind {
            ReadErrorKind::TooManyElements { .. }
            | ReadErrorKind::TooMuchMemory { .. }
            | ReadErrorKind::TooMuchOwnerMemory { .. }
            | ReadErrorKind::TooMuchWork { .. }
            | ReadErrorKind::TooDeep => Self::Excessive,
            _ => Self::Invalid,
        }
    }
}

impl From<&CommandRefusal> for Misbehaviour {
    /// An object may have changed since the command left, and a client of a different build may lack a
    /// command: only unreadable arguments count more.
    fn from(reason: &CommandRefusal) -> Self {
        match reason {
            CommandRefusal::Malformed(error) => error.kind().into(),
            _ => Self::Ignored,
        }
    }
}

impl Conduct {
    /// Adds points at a time. Returns whether they exceed the limit.
    fn misbehave(&mut self, points: u32, limits: &Limits, now: Duration) -> bool {
        let passed = now.saturating_sub(self.scored).as_secs_f64();
        let decayed = (self.score - passed * limits.misbehaviour_decay).max(0.0);
        (self.score, self.scored) = (decayed + f64::from(points), now);
        self.score > f64::from(limits.max_misbehaviour)
    }
}

/// Input of every connection of a server between two updates, and of the packet in progress.
#[derive(Debug)]
pub struct Intake {
    /// Memory and work left for the packet in progress.
    pub budget: ReadBudget,
    /// Points of misbehaviour of the packet in progress.
    points: u32,
    /// Messages of the packet in progress.
    messages: u32,
    /// Work at the beginning of the packet in progress, and the part that its bytes add.
    begun: (usize, usize),
    message_rate: Rate,
    /// Number of the update.
    update: u64,
    /// Work of every connection since the last update.
    work: usize,
}

impl Intake {
    /// Returns the input of a new server.
    pub fn new(limits: &Limits) -> Self {
        Self {
            budget: ReadBudget::UNLIMITED,
            points: 0,
            messages: 0,
            begun: (0, 0),
            message_rate: Rate::per_second(limits.message_rate),
            update: 1,
            work: 0,
        }
    }

    /// Returns whether a connection may send a packet before the next update.
    #[inline]
    pub fn accepts(
        &self,
        conduct: &Conduct,
        limits: &Limits,
        connections: usize,
        now: Duration,
    ) -> bool {
        conduct.messages.has_room(self.message_rate, now)
            && self.work_left(conduct, limits, connections) > 0
    }

    /// Returns the work that a connection may cause before the next update: as much as all connections
    /// have left, and at least its fair share.
    #[inline]
    fn work_left(&self, conduct: &Conduct, limits: &Limits, connections: usize) -> usize {
        let used = self.work_of(conduct);
        let own = limits.max_work.saturating_sub(used);
        let all = limits.max_total_work.saturating_sub(self.work);
        if own <= all {
            return own;
        }
        let share = limits.max_total_work.checked_div(connections);
        let share = share.unwrap_or_default().saturating_sub(used);
        own.min(all.max(share))
    }

    /// Returns the work of a connection since the last update.
    #[inline]
    fn work_of(&self, conduct: &Conduct) -> usize {
        if conduct.update == self.update {
            conduct.work
        } else {
            0
        }
    }

    /// Begins a packet. Returns whether the connection may send messages.
    #[inline]
    pub fn begin(
        &mut self,
        conduct: &Conduct,
        limits: &Limits,
        connections: usize,
        length: usize,
        now: Duration,
    ) -> bool {
        let left = self.work_left(conduct, limits, connections);
        self.budget = limits.budget(length, left);
        self.begun = (self.budget.work, self.budget.work.saturating_sub(left));
        (self.points, self.messages) = (0, 0);
        conduct.messages.has_room(self.message_rate, now)
    }

    /// Counts a message of the packet in progress.
    #[inline]
    pub fn count_message(&mut self) {
        self.messages = self.messages.saturating_add(1);
    }

    /// Counts a misbehaviour in the packet in progress.
    pub fn count(&mut self, misbehaviour: Misbehaviour) {
        self.points = self.points.saturating_add(misbehaviour.points());
    }

    /// Ends a packet and charges its connection. Returns whether its misbehaviour exceeds the limit.
    #[inline]
    pub fn end(&mut self, conduct: &mut Conduct, limits: &Limits, now: Duration) -> bool {
        conduct.messages.add(self.messages, self.message_rate, now);
        let (begun, added) = self.begun;
        let used = begun.saturating_sub(self.budget.work).saturating_sub(added);
        if used > 0 {
            conduct.work = self.work_of(conduct).saturating_add(used);
            conduct.update = self.update;
            self.work = self.work.saturating_add(used);
        }
        self.points > 0 && conduct.misbehave(self.points, limits, now)
    }

    /// Begins an update: all connections have their shares again.
    #[inline]
    pub fn next_update(&mut self) {
        self.update = self.update.wrapping_add(1);
        self.work = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Conduct, Intake, Misbehaviour};
    use crate::Limits;

    const START: Duration = Duration::ZERO;

    fn limits() -> Limits {
        Limits {
            max_work: 1000,
            max_total_work: 2000,
            work_per_byte: 0,
            ..Limits::default()
        }
    }

    /// Causes as much work as allowed, at most `wanted`.
    fn work(intake: &mut Intake, conduct: &mut Conduct, wanted: usize) -> usize {
        let limits = limits();
        intake.begin(conduct, &limits, 10, 50, START);
        let used = intake.budget.work.min(wanted);
        intake.budget.work -= used;
        intake.end(conduct, &limits, START);
        used
    }

    #[test]
    fn busy_connections_leave_each_other_a_fair_share() {
        let (mut intake, mut all) = (Intake::new(&limits()), [Conduct::default(); 10]);
        for _ in 0..2 {
            let used = all
                .each_mut()
                .map(|conduct| work(&mut intake, conduct, usize::MAX));
            assert_eq!(used, [1000, 1000, 200, 200, 200, 200, 200, 200, 200, 200]);
            let accepts = |conduct| intake.accepts(conduct, &limits(), 10, START);
            assert!(!all.iter().any(accepts));
            intake.next_update();
            let accepts = |conduct| intake.accepts(conduct, &limits(), 10, START);
            assert!(all.iter().all(accepts));
        }
    }

    #[test]
    fn honest_connection_gets_its_share_among_busy_ones() {
        let (mut intake, mut all) = (Intake::new(&limits()), [Conduct::default(); 9]);
        for conduct in &mut all {
            work(&mut intake, conduct, usize::MAX);
        }
        let mut honest = Conduct::default();
        let used = [(); 4].map(|()| work(&mut intake, &mut honest, 50));
        assert_eq!(used, [50; 4]);
    }

    #[test]
    fn messages_per_second_have_a_burst_of_one_second() {
        let mut limits = limits();
        limits.message_rate = 10.0;
        let (mut intake, mut conduct) = (Intake::new(&limits), Conduct::default());
        let mut sent = |millis| {
            let now = Duration::from_millis(millis);
            let mut sent = 0;
            while intake.begin(&conduct, &limits, 1, 0, now) && sent < 100 {
                intake.count_message();
                intake.end(&mut conduct, &limits, now);
                sent += 1;
            }
            sent
        };
        assert_eq!([0, 0, 99, 200, 5000].map(&mut sent), [10, 0, 0, 2, 10]);
        limits.message_rate = f64::INFINITY;
        let mut intake = Intake::new(&limits);
        assert!(intake.begin(&conduct, &limits, 1, 0, START));
    }

    #[test]
    fn misbehaviour_decays() {
        let (mut intake, mut conduct) = (Intake::new(&limits()), Conduct::default());
        let mut limits = limits();
        (limits.max_misbehaviour, limits.misbehaviour_decay) = (250, 50.0);
        let mut misbehave = |seconds| {
            let now = Duration::from_secs(seconds);
            intake.begin(&conduct, &limits, 1, 0, now);
            intake.count(Misbehaviour::Invalid);
            intake.end(&mut conduct, &limits, now)
        };
        let beyond = [0, 2, 4, 6, 8, 8, 8].map(&mut misbehave);
        assert_eq!(beyond, [false, false, false, false, false, false, true]);
    }
}
