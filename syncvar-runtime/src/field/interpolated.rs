//! Access to a variable with values between its samples.

use std::any::Any;

use super::access::{forward, forward_access};
use super::{PreviousStep, Recording, Transfer, VariableAccess};
use crate::motion::{AnyTrack, Interpolation, Moment, Track};
use crate::schema::TypeSchema;
use crate::{FieldPlace, NetworkReader, NetworkWriter, OperationLog, ReadResult, SyncField};

/// Access to a variable with [values between its samples](Interpolation); see [`interpolated`].
#[derive(Debug)]
pub struct Interpolated<A: VariableAccess> {
    field: A,
    rules: Interpolation<A::Value>,
}

/// Adds rules for the values between two samples to a variable.
#[inline]
pub const fn interpolated<A: VariableAccess>(
    field: A,
    rules: Interpolation<A::Value>,
) -> Interpolated<A> {
    Interpolated { field, rules }
}

// Not a field of a user: an error lists the containers only.
#[diagnostic::do_not_recommend]
impl<A: VariableAccess> SyncField for Interpolated<A>
where
    A::Value: Clone + Send + Sync + 'static,
{
    const INTERPOLATED: bool = true;

    forward_access!(field);

    fn record_sample(
        &self,
        track: &mut Option<Box<dyn AnyTrack>>,
        tick: u32,
        recording: Recording<'_>,
    ) {
        let track = track.get_or_insert_with(|| Box::new(Track::new(self.rules)));
        let track: &mut dyn Any = &mut **track;
        let Some(track) = track.downcast_mut::<Track<A::Value>>() else {
            return;
        };
        match recording {
            Recording::History(history) => {
                let value = self.travelled(&mut history.writer);
                let value = value.unwrap_or_else(|| self.field.value().clone());
                track.keep(tick, value, history.tick_rate);
            }
            Recording::Received => track.record(tick, self.field.value().clone()),
            Recording::Seen(view) => track.record_seen(tick, self.field.value().clone(), view),
        }
    }

    fn show_sample(&mut self, track: &dyn AnyTrack, moment: Option<&Moment<'_>>) -> bool {
        let track = (track as &dyn Any).downcast_ref::<Track<A::Value>>();
        let value = track.and_then(|track| match moment {
            Some(moment) => track.at(moment),
            None => track.newest().cloned(),
        });
        let is_known = value.is_some();
        if let Some(value) = value {
            *self.field.value_mut() = value;
        }
        is_known
    }
}

impl<A: VariableAccess> Interpolated<A> {
    /// Returns the value as clients decode it. `None` without a codec, and for a value without a form.
    fn travelled(&self, writer: &mut NetworkWriter) -> Option<A::Value> {
        if !A::ENCODED {
            return None;
        }
        writer.truncate(0);
        self.field.write_full(writer);
        if writer.take_error().is_some() {
            return None;
        }
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), writer.encoding());
        A::decode(&mut reader).ok()
    }
}

impl<A: VariableAccess> VariableAccess for Interpolated<A>
where
    A::Value: Clone + Send + Sync + 'static,
{
    type Value = A::Value;

    fn value(&self) -> &A::Value {
        self.field.value()
    }

    fn value_mut(&mut self) -> &mut A::Value {
        self.field.value_mut()
    }

    fn decode(reader: &mut NetworkReader<'_>) -> ReadResult<A::Value> {
        A::decode(reader)
    }
}
