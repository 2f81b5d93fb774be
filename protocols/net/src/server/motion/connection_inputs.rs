//! `ConnectionInputs`: inputs of one connection, by tick.

use std::any::Any;

use syncvar_runtime::motion::AnyInputs;
use syncvar_runtime::{NetworkReader, ReadError};

use crate::server::motion::ClaimedView;
use crate::server::motion::input_report::InputReport;
use crate::server::motion::input_views::InputViews;

/// Inputs of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionInputs {
    pub(crate) list: Box<dyn AnyInputs>,
    /// Last tick whose input was used.
    pub(crate) used: Option<u64>,
    /// Tick of the server at the first use after the newest input. Later uses measure silence, not delay.
    pub(crate) measured: Option<u64>,
    pub(crate) report: InputReport,
    /// Views of the inputs, if the client tells them.
    pub(crate) views: InputViews,
}

impl ConnectionInputs {
    pub(crate) fn new(list: Box<dyn AnyInputs>) -> Self {
        Self {
            list,
            used: None,
            measured: None,
            report: InputReport::default(),
            views: InputViews::default(),
        }
    }

    /// Notes the view of an input that was not refused.
    pub(crate) fn note_view(&mut self, input: u64, view: Option<ClaimedView>) {
        if let Some(view) = view.filter(|_| self.list.bytes(input).is_some()) {
            self.views.note(input, view);
        }
    }

    /// Takes the input of a tick.
    pub(crate) fn take(
        &mut self,
        tick: u64,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(), ReadError> {
        let newest = self.list.newest();
        let is_new = self.list.read(tick, reader)?;
        if newest < self.list.newest() {
            self.measured = None;
        }
        if is_new && let Some(used) = self.used.filter(|used| tick <= *used) {
            self.report.note_lead(used + 1, tick);
        }
        Ok(())
    }

    /// Notes the use of a tick's input. `present` is the tick of the last update.
    pub(crate) fn note_use(&mut self, tick: u64, present: u64) {
        let newest = self.list.newest().filter(|_| self.used < Some(tick));
        if let Some(newest) = newest {
            self.used = Some(tick);
            if *self.measured.get_or_insert(present) == present {
                self.report.note_lead(tick, newest);
            }
        }
    }

    /// Drops the inputs behind the latest tick that may have one. Returns their number.
    pub(crate) fn drop_early(&mut self, present: u64, latest: u64) -> u32 {
        let Some(newest) = self.list.newest().filter(|newest| *newest > latest) else {
            return 0;
        };
        self.views.truncate(latest);
        self.report.note_lead(present, newest);
        self.list.truncate(latest)
    }

    /// Returns the list, for inputs of a host's own client.
    pub(crate) fn list_mut(&mut self) -> &mut dyn Any {
        &mut *self.list
    }
}
