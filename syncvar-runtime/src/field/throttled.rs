//! Access to a variable with a threshold.

use super::access::{forward, forward_access};
use super::{FieldAccess, Recording, VariableAccess};
use crate::motion::AnyTrack;
use crate::{NetworkReader, NetworkWriter, OperationLog, Place, ReadResult};

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

impl<A: VariableAccess> FieldAccess for Throttled<A> {
    const HOOK: bool = A::HOOK;
    const ENCODED: bool = A::ENCODED;
    const INTERPOLATED: bool = A::INTERPOLATED;

    type Field = A::Field;

    forward_access!(field);

    fn is_beyond_threshold(&self, last_sent: &mut NetworkReader<'_>) -> bool {
        let last_sent = A::decode(last_sent);
        last_sent.map_or(true, |last_sent| {
            (self.is_beyond)(&last_sent, self.field.value())
        })
    }

    fn new_track(&self) -> Option<Box<dyn AnyTrack>> {
        self.field.new_track()
    }

    fn record(&self, track: &mut dyn AnyTrack, tick: u32, recording: Recording<'_>) {
        self.field.record(track, tick, recording);
    }
}
