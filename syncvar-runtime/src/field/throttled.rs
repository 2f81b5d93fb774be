//! Access to a variable with a threshold.

use std::any::Any;

use super::access::{forward, forward_access};
use super::{PreviousStep, Recording, Transfer, VariableAccess};
use crate::motion::{AnyTrack, Moment};
use crate::schema::TypeSchema;
use crate::{FieldPlace, NetworkReader, NetworkWriter, OperationLog, ReadResult, SyncField};

/// Access to a variable with a threshold; see [`throttled`].
#[derive(Debug)]
pub struct Throttled<A: VariableAccess> {
    field: A,
    is_beyond: fn(&A::Value, &A::Value) -> bool,
}

/// Adds a threshold to a variable: `is_beyond(last_sent, now)`.
#[inline]
pub const fn throttled<A: VariableAccess>(
    field: A,
    is_beyond: fn(&A::Value, &A::Value) -> bool,
) -> Throttled<A> {
    Throttled { field, is_beyond }
}

// Not a field of a user: an error lists the containers only.
#[diagnostic::do_not_recommend]
impl<A: VariableAccess> SyncField for Throttled<A> {
    const INTERPOLATED: bool = A::INTERPOLATED;

    forward_access!(field);

    fn is_beyond_threshold(&self, last_sent: &mut NetworkReader<'_>) -> bool {
        let last_sent = A::decode(last_sent);
        last_sent.map_or(true, |last_sent| {
            (self.is_beyond)(&last_sent, self.field.value())
        })
    }

    fn record_sample(
        &self,
        track: &mut Option<Box<dyn AnyTrack>>,
        tick: u32,
        recording: Recording<'_>,
    ) {
        self.field.record_sample(track, tick, recording);
    }

    fn show_sample(&mut self, track: &dyn AnyTrack, moment: Option<&Moment<'_>>) -> bool {
        self.field.show_sample(track, moment)
    }
}
