//! Operations on a slot of any type, built from the few that [`Slot`] has.

use std::any::Any;

use super::{ComponentLayout, Slot};
use crate::behaviour::Frame;
use crate::object::erased_fields::{FieldOperation, apply};
use crate::object::field_ticks::FieldTicks;
use crate::object::nanos::Nanos;
use crate::object::policy_state::PolicyState;
use crate::object::slot_state::ServerRules;
use crate::object::tracks::Tracks;
use crate::schema::PolicyBits;
use crate::{NetworkWriter, OperationLog, WriteError};

impl dyn Slot + '_ {
    /// Returns the length of a delta with these fields alone, which is dropped. The memory of the writer is
    /// reused.
    ///
    /// # Errors
    ///
    /// When a value lacks a form on the wire.
    pub fn measure(
        &mut self,
        fields: u64,
        writer: &mut NetworkWriter,
    ) -> Result<usize, WriteError> {
        writer.truncate(0);
        let context = writer.context().with_fields(fields);
        writer.with_context(context, |writer| self.write_layout(writer, false, false));
        writer.take_report();
        let length = writer.len();
        writer.take_error().map_or(Ok(length), Err)
    }

    /// Makes these fields dirty.
    pub fn set_dirty_bit(&mut self, dirty_bits: u64) {
        self.fields().set_dirty_bit(dirty_bits);
    }

    /// Sets whether the object has observers; [`serialize`](Slot::serialize) and
    /// [`forget_changes`](Slot::forget_changes) do so too.
    pub fn set_observed(&mut self, observed: bool) {
        apply(
            self.fields(),
            u64::MAX,
            FieldOperation::SetObserved(observed),
        );
    }

    /// Sets the operation log of the collections.
    pub fn set_log(&mut self, log: OperationLog) {
        if self.dirty_bits() == 0 {
            // The log belongs to this place.
            let lineage = *self.parts_mut().tracked.lineage;
            apply(self.fields(), u64::MAX, FieldOperation::MarkSent(lineage));
        }
        apply(self.fields(), u64::MAX, FieldOperation::SetLog(log));
    }

    /// Replaces values with a codec by those that travel: see [`BehaviourFields::round`](crate::BehaviourFields::round).
    pub fn round(&mut self, writer: &mut NetworkWriter) {
        apply(self.fields(), u64::MAX, FieldOperation::Round(writer));
    }

    /// Returns the fields that a delta of [`write_layout`](Slot::write_layout) in Mirror's encoding can
    /// change: all values, and the collections of its mask.
    pub fn fields_of_layout(&self, delta: &[u8]) -> u64 {
        let info = self.info();
        match delta.first_chunk() {
            Some(mask) if info.layout == ComponentLayout::Fields => {
                let collections = info.packed.unpack_collections(u64::from_le_bytes(*mask));
                info.packed.values | collections
            }
            _ => info.schema.dirty_bits(),
        }
    }

    /// Returns the state of the restricted fields.
    pub fn policy_state(&self) -> Option<&PolicyState> {
        self.state()?.policy.as_deref()
    }

    /// Lets the next frame send some fields whatever their threshold.
    pub fn release(&mut self, fields: u64) {
        let state = self.state_mut().as_mut();
        if let Some(policy) = state.and_then(|state| state.policy.as_mut()) {
            policy.release(fields);
        }
    }

    /// Returns the readers and writers of the fields: those of the class, or of a server of a different build.
    #[inline]
    pub fn policy(&self) -> &PolicyBits {
        let rules = self.state().and_then(|state| state.rules.as_deref());
        rules.map_or(&self.info().policy, |rules| &rules.fields.policy)
    }

    /// Returns the channel of the changes: that of the class, or of a server of a different build.
    #[inline]
    pub fn channel(&self) -> u8 {
        let rules = self.state().and_then(|state| state.rules.as_deref());
        rules.map_or(self.info().channel, |rules| rules.channel)
    }

    /// Returns the fields that a server of a different build lacks.
    #[inline]
    pub fn missing(&self) -> u64 {
        let rules = self.state().and_then(|state| state.rules.as_deref());
        rules.map_or(0, |rules| rules.fields.missing)
    }

    /// Sets the rules of a server of a different build.
    pub fn set_rules(&mut self, rules: Option<ServerRules>) {
        if rules.is_some() || self.state().is_some() {
            self.state_mut().get_or_insert_default().rules = rules.map(Box::new);
        }
    }

    /// Returns the ticks of the fields; `None` on a reliable channel.
    pub fn ticks(&self) -> Option<&FieldTicks> {
        self.state()?.ticks.as_ref()
    }

    /// Returns the ticks of the fields, for changes.
    pub fn ticks_mut(&mut self) -> Option<&mut FieldTicks> {
        self.state_mut().as_mut()?.ticks.as_mut()
    }

    /// Gives each field this tick, that of the spawn. From now on the slot has `ticks`.
    pub fn track_ticks(&mut self, tick: u32) {
        let fields = self.info().schema.field_count();
        let state = self.state_mut().get_or_insert_default();
        state.ticks = Some(FieldTicks::new(fields, tick));
    }

    /// Returns the samples of the interpolated fields; `None` before the first sample.
    pub fn tracks(&self) -> Option<&Tracks> {
        self.state()?.tracks.as_deref()
    }

    /// Drops the samples of every field.
    pub fn clear_tracks(&mut self) {
        let state = self.state_mut().as_mut();
        if let Some(tracks) = state.and_then(|state| state.tracks.as_mut()) {
            tracks.clear();
        }
    }

    /// Begins the histories of a server with the present values, in a tick of the wire. From now on each sent or
    /// dropped change of a field with a [history](super::SlotInfo::history) is a sample.
    pub fn begin_history(&mut self, tick: u32, tick_rate: u32) {
        let history = self.info().history;
        if history != 0 {
            let state = self.state_mut().get_or_insert_default();
            state.tracks = Some(Box::new(Tracks::of_server(tick_rate)));
            self.record(history, tick, None);
        }
    }

    /// Takes the history of a server's object that is about to be removed; `None` without a history.
    pub fn take_history(&mut self) -> Option<Box<Tracks>> {
        self.state_mut().as_mut()?.tracks.take()
    }

    /// Runs the work of the class in a frame.
    pub fn on_frame(&mut self, frame: &mut Frame<'_>) {
        if let Some(on_frame) = self.info().on_frame {
            let behaviour: &mut dyn Any = self.behaviour_mut();
            on_frame(behaviour, frame);
        }
    }

    /// Records a send that repeats: the fields stay dirty.
    pub fn mark_repeated(&mut self, now: Nanos) {
        self.set_last_send(now);
    }
}
