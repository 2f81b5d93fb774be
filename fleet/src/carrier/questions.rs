//! `OpenQuestions`: own questions of a carrier, up to their ends.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{CarrierEvent, NodeId, QuestionId};

/// Most questions of a node that wait for an answer.
const MAX_OPEN: usize = 4096;

/// Questions of a node that wait for an answer: the bookkeeping of a [`Carrier`](super::Carrier) in which each
/// question has exactly one end.
///
/// ```
/// use std::time::Duration;
/// use syncvar_fleet::carrier::OpenQuestions;
/// use syncvar_fleet::{CarrierEvent, NodeId};
///
/// let mut questions = OpenQuestions::new(Duration::from_secs(2));
/// let (first, _) = questions.open(NodeId(7), Duration::ZERO);
/// let (second, _) = questions.open(NodeId(8), Duration::ZERO);
/// assert!(questions.close(first, NodeId(7)));
/// assert!(!questions.close(first, NodeId(7)), "an answer counts once");
/// let ends = questions.expire(Duration::from_secs(2), |_| true);
/// assert_eq!(ends, [CarrierEvent::Answered { id: second, answer: None }]);
/// ```
#[derive(Debug)]
pub struct OpenQuestions {
    timeout: Duration,
    /// The asked node, and the time of the end.
    open: BTreeMap<QuestionId, (NodeId, Duration)>,
    count: u64,
}

impl OpenQuestions {
    /// Creates the state of a node without questions. After `timeout` a question ends without an answer.
    pub fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            open: BTreeMap::new(),
            count: 0,
        }
    }

    /// Returns the number of a new question, and whether the carrier sends it: at most 4 096 wait for an answer, and a
    /// further question ends in the next [`expire`](Self::expire).
    pub fn open(&mut self, to: NodeId, now: Duration) -> (QuestionId, bool) {
        let has_room = self.open.len() < MAX_OPEN;
        let until = if has_room { now + self.timeout } else { now };
        self.count += 1;
        let id = QuestionId(self.count);
        self.open.insert(id, (to, until));
        (id, has_room)
    }

    /// Ends a question with the answer of a node. Returns whether it was open: a repeated answer, a late one, and an answer of
    /// a node that was not asked do not count.
    pub fn close(&mut self, id: QuestionId, from: NodeId) -> bool {
        let is_open = self.open.get(&id).is_some_and(|(node, _)| *node == from);
        is_open && self.open.remove(&id).is_some()
    }

    /// Ends the questions whose time is over, and those to nodes that have ended. Returns their events.
    pub fn expire(
        &mut self,
        now: Duration,
        is_alive: impl Fn(NodeId) -> bool,
    ) -> Vec<CarrierEvent> {
        let ended = self
            .open
            .extract_if(.., |_, (node, until)| *until <= now || !is_alive(*node));
        ended
            .map(|(id, _)| CarrierEvent::Answered { id, answer: None })
            .collect()
    }
}
