//! `InputViews`: the views in which inputs were made.

use std::collections::VecDeque;

use crate::server::motion::ClaimedView;

/// Most views: those of the ticks that the inputs can be ahead of their use, twice.
const MAX_VIEWS: usize = 64;

/// Views of the inputs of one connection, as its client claims them, ascending by tick of the input. Inputs have the ticks of
/// the network time, views those of the wire: two counts with the same distance at all times.
#[derive(Debug, Default)]
pub(crate) struct InputViews {
    views: VecDeque<(u64, ClaimedView)>,
}

impl InputViews {
    /// Notes the view of an input. The first one counts.
    pub(crate) fn note(&mut self, input: u64, view: ClaimedView) {
        let place = self.views.binary_search_by_key(&input, |(tick, _)| *tick);
        let Err(place) = place else {
            return;
        };
        if self.views.len() < MAX_VIEWS {
            self.views.insert(place, (input, view));
        } else if place > 0 {
            self.views.pop_front();
            self.views.insert(place - 1, (input, view));
        }
    }

    /// Drops the views of inputs behind a tick.
    pub(crate) fn truncate(&mut self, latest: u64) {
        let known = self.views.partition_point(|(tick, _)| *tick <= latest);
        self.views.truncate(known);
    }

    /// Returns the view of an input. An input without one, whose message was lost, has the distance of the next input with
    /// one, or else of the last.
    pub(crate) fn at(&self, input: u64) -> Option<ClaimedView> {
        let next = self.views.partition_point(|(tick, _)| *tick < input);
        let nearest = self.views.get(next).or_else(|| self.views.back());
        let (tick, view) = *nearest?;
        let further = ticks(input) - ticks(tick);
        Some(ClaimedView {
            tick: view.tick + further,
            until: view.until + further,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "ticks of a run")]
fn ticks(tick: u64) -> f64 {
    tick as f64
}
