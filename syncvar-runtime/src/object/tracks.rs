//! `Tracks`: samples of the interpolated fields of a behaviour.

use std::any::Any;

use crate::behaviour::FieldVisitor;
use crate::field::{History, Recording};
use crate::motion::{AnyTrack, Moment, Track};
use crate::{NetworkBehaviour, NetworkWriter, SyncField};

/// Samples of the interpolated fields of a behaviour: on a client received samples, on a server those of the fields
/// with a history.
#[derive(Debug, Default)]
pub struct Tracks {
    /// `None` on a client.
    history: Option<History>,
    /// Tracks of the fields that were recorded, by dirty bit.
    fields: Vec<(u64, Option<Box<dyn AnyTrack>>)>,
}

impl Tracks {
    /// Returns the empty history of a server.
    pub(super) fn of_server(tick_rate: u32) -> Self {
        Self {
            history: Some(History {
                tick_rate,
                writer: NetworkWriter::new(),
            }),
            ..Self::default()
        }
    }

    /// Returns whether it is the history of a server.
    pub(super) fn is_history(&self) -> bool {
        self.history.is_some()
    }

    /// Records the values of some fields in a tick.
    pub fn record<B: NetworkBehaviour>(&mut self, behaviour: &mut B, fields: u64, tick: u32) {
        self.record_seen(behaviour, fields, tick, None);
    }

    /// Records the values of some fields in a tick, which the view may have passed.
    pub(super) fn record_seen<B: NetworkBehaviour>(
        &mut self,
        behaviour: &mut B,
        fields: u64,
        tick: u32,
        view: Option<&Moment<'_>>,
    ) {
        let mut visitor = RecordSamples {
            tracks: self,
            fields,
            tick,
            view,
        };
        behaviour.visit(&mut B::Previous::default(), &mut visitor);
    }

    /// Drops all samples.
    pub(super) fn clear(&mut self) {
        self.each_mut().for_each(|track| track.clear());
    }

    /// Notes the values at a moment, before the samples are corrected.
    pub fn begin_correction(&mut self, moment: &Moment<'_>) {
        for track in self.each_mut() {
            track.begin_correction(moment);
        }
    }

    /// Lets the difference from the noted values decay within some ticks. Returns the largest one.
    pub fn end_correction(&mut self, moment: &Moment<'_>, decay: f64) -> f32 {
        let tracks = self.each_mut();
        let sizes = tracks.map(|track| track.end_correction(moment, decay));
        sizes.fold(0.0, f32::max)
    }

    /// Returns the value of a field at a moment, by its dirty bit. `None` without samples of this type.
    #[inline]
    pub fn at<T: Clone + 'static>(&self, field: u64, moment: &Moment<'_>) -> Option<T> {
        self.track(field)?.at(moment)
    }

    /// Returns the newest sample of a field, by its dirty bit. `None` without samples of this type.
    #[inline]
    pub fn newest<T: Clone + 'static>(&self, field: u64) -> Option<T> {
        self.track(field)?.newest().cloned()
    }

    /// Writes the values of some fields at a moment, or their newest samples, into a behaviour, without changes to
    /// send. Returns the fields that it has written.
    pub fn write_into<B: NetworkBehaviour>(
        &self,
        behaviour: &mut B,
        fields: u64,
        moment: Option<&Moment<'_>>,
    ) -> u64 {
        let mut visitor = ShowSamples {
            tracks: self,
            fields,
            moment,
            written: 0,
        };
        behaviour.visit(&mut B::Previous::default(), &mut visitor);
        visitor.written
    }

    /// Returns the track of a field, by its dirty bit.
    #[inline]
    pub(super) fn any(&self, field: u64) -> Option<&dyn AnyTrack> {
        let (_, track) = self.fields.iter().find(|(bit, _)| *bit == field)?;
        track.as_deref()
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn AnyTrack>> {
        self.fields
            .iter_mut()
            .filter_map(|(_, track)| track.as_mut())
    }

    #[inline]
    fn track<T: Clone + 'static>(&self, field: u64) -> Option<&Track<T>> {
        let track: &dyn Any = self.any(field)?;
        track.downcast_ref()
    }
}

struct ShowSamples<'a, 'v> {
    tracks: &'a Tracks,
    fields: u64,
    moment: Option<&'a Moment<'v>>,
    written: u64,
}

impl FieldVisitor for ShowSamples<'_, '_> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, mut field: A) {
        if A::INTERPOLATED
            && self.fields & bit != 0
            && let Some(track) = self.tracks.any(bit)
            && field.show_sample(track, self.moment)
        {
            self.written |= bit;
        }
    }
}

struct RecordSamples<'a, 'v> {
    tracks: &'a mut Tracks,
    fields: u64,
    tick: u32,
    view: Option<&'a Moment<'v>>,
}

impl FieldVisitor for RecordSamples<'_, '_> {
    #[inline]
    fn field<A: SyncField>(&mut self, bit: u64, _: &'static str, field: A) {
        if !A::INTERPOLATED || self.fields & bit == 0 {
            return;
        }
        let Tracks {
            history,
            fields: tracks,
        } = &mut *self.tracks;
        let recording = match (history, self.view) {
            (Some(history), _) => Recording::History(history),
            (None, Some(view)) => Recording::Seen(view),
            (None, None) => Recording::Received,
        };
        let known = tracks.iter().position(|(known, _)| *known == bit);
        let at = known.unwrap_or_else(|| {
            tracks.push((bit, None));
            tracks.len() - 1
        });
        if let Some((_, track)) = tracks.get_mut(at) {
            field.record_sample(track, self.tick, recording);
        }
    }
}
