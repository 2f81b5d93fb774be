//! Outgoing calls: arguments in each framing of the receivers.

use arrayvec::ArrayVec;
use bytes::Bytes;
use syncvar_runtime::call::{Class, RoutedCall};
use syncvar_runtime::{CallError, Encoding, NetId, NetworkWriter, Target, WriteError};

use super::target::{CallPlan, Receivers};
use super::{DeferredCall, EncodedCall, LocalCall};
use crate::message::{Name, frame, named, write_header};
use crate::server::NetworkServer;
use crate::{Framing, MessageType};

/// A call on clients between [`begin_call`](CallRouter::begin_call) and [`send_call`](CallRouter::send_call).
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) plan: CallPlan,
    /// Messages of the writers, in order.
    pub(crate) types: ArrayVec<(Framing, MessageType), 2>,
    /// Length of the header before the arguments in [`Framing::Compact`].
    pub(crate) header: usize,
}

pub(crate) type Payload = (Framing, MessageType, NetworkWriter);

impl NetworkServer {
    /// Begins a command of the local client, with arguments in [`Framing::Compact`].
    pub(crate) fn begin_local_command(
        &mut self,
        object: NetId,
        class: Class,
        number: u32,
    ) -> Result<RoutedCall, CallError> {
        let place = self.plan_local_command(object, class, number)?;
        let writer = NetworkWriter::with_encoding(Encoding::Compact);
        Ok(RoutedCall {
            object,
            place,
            target: Target::Observers,
            writers: [writer].into_iter().collect(),
        })
    }

    /// Writes the header before the arguments.
    pub(crate) fn begin_payloads(
        &mut self,
        object: NetId,
        plan: &CallPlan,
    ) -> Result<ArrayVec<Payload, 2>, CallError> {
        let [mut unet, mut compact] = plan.spoken;
        compact |= plan.local || plan.target == Target::Everyone;
        let at = self
            .objects
            .world
            .objects
            .get(object.0)
            .map(|replicated| replicated.at.pool);
        let prefab = at.and_then(|pool| {
            self.objects
                .world
                .prefabs
                .get(self.objects.world.pools.prefab(pool))
        });
        let calls = &prefab.ok_or(CallError::UnknownObject(object))?.calls;
        let hash = Name::Hash(plan.place.schema.hash);
        if unet && !named(calls, hash).is_some_and(|place| place.is(&plan.place)) {
            let mut known = self
                .sessions
                .connections
                .values()
                .filter(|it| it.is_connected());
            let later = matches!(plan.receivers, Receivers::Deferred);
            if !later || known.any(|it| it.framing == Framing::Unet) {
                return Err(CallError::Ambiguous);
            }
            unet = false;
        }
        let mut payloads = ArrayVec::new();
        let wanted = [(Framing::Unet, unet), (Framing::Compact, compact)];
        for (framing, _) in wanted.into_iter().filter(|(_, wanted)| *wanted) {
            let mut writer = std::mem::take(&mut self.calls.writers[usize::from(framing.number())]);
            if writer.encoding() != framing.encoding() {
                writer = NetworkWriter::with_encoding(framing.encoding());
            }
            writer.at_behaviour(Some(plan.place.name));
            let message_type = write_header((framing, &mut writer), object, &plan.place, calls);
            payloads.push((framing, message_type, writer));
        }
        Ok(payloads)
    }

    pub(crate) fn finish_call(
        &mut self,
        object: NetId,
        plan: CallPlan,
        payloads: &[Payload],
        header: usize,
    ) -> Result<(), CallError> {
        let channel = plan.place.schema.channel;
        tracing::trace!(%object, call = plan.place.schema.name, "calls clients");
        let room = self.context.config.channel_info(channel).room;
        for (framing, _, writer) in payloads {
            if let Some(kind) = room.refusal(framing.form(), writer.len()) {
                return Err(WriteError::new(kind, 0, Some(plan.place.name), None).into());
            }
        }
        let payload = |wanted| payloads.iter().find(|(framing, ..)| *framing == wanted);
        let (unet, compact) = (payload(Framing::Unet), payload(Framing::Compact));
        let arguments = compact.map(|(.., writer)| writer.as_bytes());
        let [_, is_spoken] = plan.spoken;
        let arguments = arguments.and_then(|payload| payload.get(header..));
        let arguments = arguments.map(Bytes::copy_from_slice);
        let call = EncodedCall {
            channel,
            unet: self.write_call(unet),
            compact: self.write_call(compact.filter(|_| is_spoken)),
        };
        if let (true, Some(arguments)) = (plan.local, &arguments) {
            let waits = matches!(plan.receivers, Receivers::Deferred);
            let target = waits.then(|| plan.target.clone());
            self.queue_local_rpc(object, target, plan.place, arguments.clone());
        }
        if let Receivers::Deferred = plan.receivers {
            let target = plan.target.clone();
            let list = if self.is_behind_state(&plan.place) {
                &mut self.calls.behind_state
            } else {
                &mut self.calls.deferred
            };
            list.push(DeferredCall {
                object,
                target,
                call,
            });
        } else {
            self.transmit_call(plan.receivers, &call);
        }
        if let (Target::Everyone, Some(arguments)) = (plan.target, arguments) {
            self.calls.local.push_back(LocalCall {
                object,
                place: plan.place,
                sender: None,
                arguments,
            });
        }
        Ok(())
    }

    /// Frames a payload as a message.
    pub(crate) fn write_call(&mut self, payload: Option<&Payload>) -> Option<(MessageType, Bytes)> {
        let (_, message_type, payload) = payload?;
        frame(&mut self.calls.messages, *message_type, payload.as_bytes());
        Some((*message_type, self.calls.messages.take_bytes()))
    }
}
