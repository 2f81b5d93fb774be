//! `Ghosts`: objects of the neighbour zones, near the border.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use syncvar_net::{NetworkClient, RecordError};
use syncvar_runtime::{NetId, NetworkBehaviour, Prefabs};

use super::borders::BorderRecord;
use super::membership::Directory;
use crate::zone::ZoneId;
use crate::{Carrier, NodeId, Question, QuestionId};

/// Time for a missing record to arrive, before a zone asks for a keyframe.
const PATIENCE: Duration = Duration::from_millis(100);

/// Shortest time between two questions for a keyframe.
const QUESTION_PAUSE: Duration = Duration::from_secs(1);

/// Objects of a process of a neighbour.
struct GhostView {
    node: NodeId,
    client: NetworkClient,
    epochs: BTreeMap<NetId, u64>,
    question: Option<QuestionId>,
    asked: Option<Duration>,
    /// Time since which a keyframe would help.
    lacking: Option<Duration>,
    /// Number of the last record that was played.
    played: u64,
}

/// Objects of the neighbours.
pub(super) struct Ghosts {
    zone: ZoneId,
    make: Box<dyn Fn() -> Prefabs + Send>,
    views: BTreeMap<ZoneId, GhostView>,
    /// Views of new processes of neighbours, before their first keyframe.
    next: BTreeMap<ZoneId, GhostView>,
}

impl fmt::Debug for Ghosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ghosts")
            .field("zones", &self.views.keys())
            .finish_non_exhaustive()
    }
}

impl Ghosts {
    pub(super) fn new(zone: ZoneId, make: Box<dyn Fn() -> Prefabs + Send>) -> Self {
        Self {
            zone,
            make,
            views: BTreeMap::new(),
            next: BTreeMap::new(),
        }
    }

    /// Follows the present processes of the neighbours, and asks for keyframes.
    pub(super) fn update(
        &mut self,
        carrier: &mut impl Carrier,
        directory: &Directory,
        now: Duration,
    ) {
        let topic = self.zone.border();
        for (zone, node) in directory.nodes().filter(|(zone, _)| *zone != self.zone) {
            let known = self.next.get(&zone).or_else(|| self.views.get(&zone));
            if known.is_none_or(|view| view.node != node) {
                if let Some(former) = self.next.insert(zone, GhostView::new((self.make)(), node)) {
                    carrier.unsubscribe(former.node, topic);
                }
                carrier.subscribe(node, topic);
            }
        }
        for view in self.views.values_mut().chain(self.next.values_mut()) {
            let lacks =
                view.played == 0 || view.lacking.is_some_and(|since| now >= since + PATIENCE);
            let is_early = { view.asked }.is_some_and(|asked| now < asked + QUESTION_PAUSE);
            if lacks && !is_early {
                view.asked = Some(now);
                view.question = Some(carrier.ask(view.node, Question::Keyframe(topic)));
            }
        }
    }

    /// Takes a record of a neighbour.
    pub(super) fn take_record(&mut self, publisher: NodeId, bytes: &[u8], now: Duration) {
        let mut views = self.views.values_mut().chain(self.next.values_mut());
        let view = views.find(|view| view.node == publisher);
        if let (Some(view), Some(record)) = (view, BorderRecord::from_bytes(bytes)) {
            view.play(record, now);
        }
    }

    /// Takes the answer to a question for a keyframe. Returns whether it was one.
    pub(super) fn take_answer(
        &mut self,
        carrier: &mut impl Carrier,
        id: QuestionId,
        answer: Option<&Bytes>,
        now: Duration,
    ) -> bool {
        let mut views = self.views.iter_mut().chain(self.next.iter_mut());
        let Some((zone, view)) = views.find(|(_, view)| view.question == Some(id)) else {
            return false;
        };
        view.question = None;
        if let Some(record) = answer.and_then(|bytes| BorderRecord::from_bytes(bytes)) {
            view.play(record, now);
        }
        let zone = *zone;
        if self.next.get(&zone).is_some_and(|view| view.played > 0)
            && let Some(view) = self.next.remove(&zone)
            && let Some(former) = self.views.insert(zone, view)
        {
            carrier.unsubscribe(former.node, self.zone.border());
        }
        true
    }

    /// Returns all ghosts with their zones and epochs; of two ghosts of an object, the ghost with the higher epoch.
    pub(super) fn all(&self) -> BTreeMap<NetId, (ZoneId, u64)> {
        let mut ghosts = BTreeMap::new();
        for (zone, view) in &self.views {
            for identity in view.client.identities() {
                let object = identity.net_id();
                let epoch = view.epoch(object);
                let known: &mut (ZoneId, u64) = ghosts.entry(object).or_insert((*zone, epoch));
                if epoch > known.1 {
                    *known = (*zone, epoch);
                }
            }
        }
        ghosts
    }

    /// Returns the zone of a ghost, and its epoch.
    pub(super) fn find(&self, object: NetId) -> Option<(ZoneId, u64)> {
        let having = self
            .views
            .iter()
            .filter(|(_, view)| view.client.identity(object).is_some());
        let epochs = having.map(|(zone, view)| (*zone, view.epoch(object)));
        epochs.max_by_key(|(_, epoch)| *epoch)
    }

    /// Returns a behaviour of a ghost.
    pub(super) fn get<B: NetworkBehaviour>(&self, object: NetId) -> Option<&B> {
        let (zone, _) = self.find(object)?;
        self.views.get(&zone)?.client.get(object)
    }
}

impl GhostView {
    fn new(prefabs: Prefabs, node: NodeId) -> Self {
        Self {
            node,
            client: NetworkClient::new(prefabs),
            epochs: BTreeMap::new(),
            question: None,
            asked: None,
            lacking: None,
            played: 0,
        }
    }

    fn epoch(&self, object: NetId) -> u64 {
        self.epochs.get(&object).copied().unwrap_or_default()
    }

    fn play(&mut self, border: BorderRecord, now: Duration) {
        let BorderRecord { epochs, record } = border;
        self.epochs.extend(epochs);
        match self.client.handle_record(&record) {
            // A repeated record ends no lack.
            Ok(()) if record.seq() > self.played => {
                self.played = record.seq();
                self.lacking = None;
            }
            Ok(()) | Err(RecordError::NeedsKeyframe) => {}
            Err(error) => {
                tracing::debug!(%error, "a zone lacks a record of a neighbour");
                self.lacking.get_or_insert(now);
            }
        }
        while self.client.poll_event().is_some() {}
        if self.epochs.len() > 2 * self.client.object_count() + 64 {
            self.epochs
                .retain(|object, _| self.client.identity(*object).is_some());
        }
    }
}
