//! `Upstream`: the source of a relay, and the questions to it.

use std::time::Duration;

use crate::{Carrier, NodeId, Question, QuestionId, Topic};

/// Time without a record after which a relay turns to its next source. A source writes a record every 100 ms.
const SILENCE: Duration = Duration::from_millis(1500);

/// Time for a missing record to arrive, before a relay asks for a keyframe.
const PATIENCE: Duration = Duration::from_millis(100);

/// Shortest time between two questions for a keyframe.
const QUESTION_PAUSE: Duration = Duration::from_secs(1);

/// The source of a relay.
#[derive(Debug, Default)]
pub(super) struct Upstream {
    source: Option<NodeId>,
    /// Time of the last record of the source, or of the turn to it.
    heard: Duration,
    /// Question for a keyframe without an answer.
    question: Option<QuestionId>,
    /// Time of the last question.
    asked: Option<Duration>,
    /// Time since which a keyframe would help.
    lacking: Option<Duration>,
}

impl Upstream {
    /// Returns the source.
    pub(super) fn source(&self) -> Option<NodeId> {
        self.source
    }

    /// Notes a sign of life of a publisher. Returns whether it is the source.
    pub(super) fn hear(&mut self, publisher: NodeId, now: Duration) -> bool {
        let is_source = self.source == Some(publisher);
        if is_source {
            self.heard = now;
        }
        is_source
    }

    /// Returns whether an answer belongs to the last question for a keyframe.
    pub(super) fn take_answer(&mut self, id: QuestionId) -> bool {
        let is_awaited = self.question == Some(id);
        if is_awaited {
            self.question = None;
        }
        is_awaited
    }

    /// Chooses the source, and asks it for a keyframe if `lacks` says that one helps. `is_urgent` asks without patience.
    pub(super) fn update(
        &mut self,
        carrier: &mut impl Carrier,
        now: Duration,
        lacks: bool,
        is_urgent: bool,
    ) {
        self.choose(carrier, now);
        if !lacks {
            self.lacking = None;
            return;
        }
        let since = *self.lacking.get_or_insert(now);
        let waits = !is_urgent && now.saturating_sub(since) < PATIENCE;
        let is_early = { self.asked }.is_some_and(|it| now.saturating_sub(it) < QUESTION_PAUSE);
        if let Some(source) = self.source
            && !waits
            && !is_early
        {
            self.question = Some(carrier.ask(source, Question::Keyframe(Topic::WORLD)));
            self.asked = Some(now);
        }
    }

    /// Stays with the source while it is alive and not silent, or turns to the next one.
    fn choose(&mut self, carrier: &mut impl Carrier, now: Duration) {
        let sources = carrier.sources();
        let place = sources.iter().position(|it| Some(*it) == self.source);
        let is_silent = now.saturating_sub(self.heard) >= SILENCE;
        let next = match place {
            Some(_) if !is_silent || sources.len() == 1 => return,
            Some(place) => sources.get((place + 1) % sources.len()),
            None => sources.first(),
        };
        if let Some(former) = self.source.take() {
            carrier.unsubscribe(former, Topic::WORLD);
        }
        self.question = None;
        if let Some(next) = next.copied() {
            tracing::info!(%next, "a relay follows another node");
            carrier.subscribe(next, Topic::WORLD);
            self.source = Some(next);
            self.heard = now;
        }
    }
}
