//! Access to a variable with values between its samples.

use std::any::Any;

use super::access::{forward, forward_access};
use super::{FieldAccess, VariableAccess};
use crate::motion::{AnyTrack, Interpolation, Track};
use crate::{NetworkReader, NetworkWriter, OperationLog, Place, ReadResult};

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

impl<A: VariableAccess> FieldAccess for Interpolated<A>
where
    A::Value: Clone + Send + Sync + 'static,
{
    const HOOK: bool = A::HOOK;
    const ENCODED: bool = A::ENCODED;
    const INTERPOLATED: bool = true;

    type Field = A::Field;

    forward_access!(field);

    fn new_track(&self) -> Option<Box<dyn AnyTrack>> {
        Some(Box::new(Track::new(self.rules)))
    }

    fn record(&self, track: &mut dyn AnyTrack, tick: u32, history: Option<u32>) {
        let track: &mut dyn Any = track;
        if let Some(track) = track.downcast_mut::<Track<A::Value>>() {
            let value = self.field.value().clone();
            match history {
                Some(tick_rate) => track.keep(tick, value, tick_rate),
                None => track.record(tick, value),
            }
        }
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

    fn decode(reader: &mut NetworkReader<'_>) -> ReadResult<A::Value> {
        A::decode(reader)
    }
}
