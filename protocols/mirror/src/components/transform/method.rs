//! `TransformMethod`: the differences between the three transforms.

use syncvar_runtime::behaviour::{Frame, MessageTime, SyncSettings};
use syncvar_runtime::{
    CallContext, CallSchema, Delivery, NetworkReader, NetworkWriter, ReadError, ReadResult,
};

use super::NetworkTransform;
use super::pose::Received;

/// Delivery of a [`NetworkTransform`]: [`Reliable`](super::Reliable), [`Unreliable`](super::Unreliable) or
/// [`Hybrid`](super::Hybrid).
pub trait TransformMethod: sealed::Method {}

impl<M: sealed::Method> TransformMethod for M {}

pub(crate) mod sealed {
    use super::{
        CallContext, CallSchema, Delivery, Frame, MessageTime, NetworkReader, NetworkTransform,
        NetworkWriter, ReadError, ReadResult, Received, SyncSettings,
    };

    /// Parts of a transform that depend on its delivery.
    #[expect(
        private_interfaces,
        unnameable_types,
        reason = "only this crate implements it"
    )]
    pub trait Method: Default + Send + Sync + Sized + 'static {
        /// Name of the component.
        const NAME: &'static str;
        const DELIVERY: Delivery;
        /// The calls of the base, and the calls of the method.
        const CALLS: &'static [CallSchema];

        /// Forgets all bases.
        fn reset(transform: &mut NetworkTransform<Self>);

        /// Decides what to send: Mirror's `LateUpdate`.
        fn send(transform: &mut NetworkTransform<Self>, frame: &mut Frame<'_>);

        /// Writes a snapshot or a delta. Returns whether it holds a change.
        fn write(
            transform: &mut NetworkTransform<Self>,
            writer: &mut NetworkWriter,
            initial_state: bool,
        ) -> bool;

        /// Reads a snapshot or a delta.
        fn read(
            transform: &mut NetworkTransform<Self>,
            reader: &mut NetworkReader<'_>,
            initial_state: bool,
        ) -> ReadResult<Received>;

        /// Takes over received values: as a state to show later, unless the delivery shows them at once.
        fn receive(
            transform: &mut NetworkTransform<Self>,
            received: &Received,
            time: MessageTime,
            settings: SyncSettings,
        ) {
            transform.correct(time, &settings);
            transform.add(received, time, &settings);
        }

        /// Runs a call of the method.
        fn call(
            transform: &mut NetworkTransform<Self>,
            call: u32,
            reader: &mut NetworkReader<'_>,
            ctx: &mut CallContext<'_>,
        ) -> Result<(), ReadError> {
            let _ = (transform, ctx);
            Err(reader.unknown_call(call))
        }
    }
}
