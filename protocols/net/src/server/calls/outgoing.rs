//! Outgoing calls: arguments in each framing of the receivers.

use arrayvec::ArrayVec;
use bytes::Bytes;
use syncvar_runtime::{CallError, NetId, NetworkWriter, Target, WriteError};

use crate::message::{CallName, frame, named, write_header};
use crate::server::ServerConfig;
use crate::server::calls::target::{CallPlan, Receivers, is_behind_state};
use crate::server::calls::{Calls, DeferredCall, EncodedCall};
use crate::server::objects::Objects;
use crate::server::sessions::Sessions;
use crate::{Framing, MessageType};

/// A call on clients between [`begin_call`](CallRouter::begin_call) and [`send_call`](CallRouter::send_call).
#[derive(Debug)]
pub(crate) struct OutgoingCall {
    pub(crate) plan: CallPlan,
    /// Messages of the writers, in order.
    pub(crate) types: ArrayVec<(Framing, MessageType), 2>,
    /// Length of the header before the arguments in [`Framing::Compact`].
    pub(crate) header: usize,
}

pub(crate) type CallPayload = (Framing, MessageType, NetworkWriter);

impl Calls {
    /// Writes the header before the arguments.
    pub(crate) fn begin_payloads(
        &mut self,
        objects: &Objects,
        sessions: &Sessions,
        object: NetId,
        plan: &CallPlan,
    ) -> Result<ArrayVec<CallPayload, 2>, CallError> {
        let [mut unet, mut compact] = plan.spoken;
        compact |= plan.local || plan.target == Target::Everyone;
        let prefab = objects.world.prefab(object);
        let calls = &prefab.ok_or(CallError::UnknownObject(object))?.calls;
        let hash = CallName::Hash(plan.place.schema.hash);
        if unet && !named(calls, hash).is_some_and(|place| place.is(&plan.place)) {
            let mut known = sessions.connections.values().filter(|it| it.is_connected());
            let later = matches!(plan.receivers, Receivers::Deferred);
            if !later || known.any(|it| it.framing == Framing::Unet) {
                return Err(CallError::Ambiguous);
            }
            unet = false;
        }
        let mut payloads = ArrayVec::new();
        let wanted = [(Framing::Unet, unet), (Framing::Compact, compact)];
        for (framing, _) in wanted.into_iter().filter(|(_, wanted)| *wanted) {
            let mut writer = std::mem::take(&mut self.writers[usize::from(framing.number())]);
            if writer.encoding() != framing.encoding() {
                writer = NetworkWriter::with_encoding(framing.encoding());
            }
            writer.at_behaviour(Some(plan.place.name));
            let message_type = write_header(framing, &mut writer, object, &plan.place, calls);
            payloads.push((framing, message_type, writer));
        }
        Ok(payloads)
    }

    /// Encodes a call for its receivers, with the arguments for receivers in this process.
    pub(crate) fn encode(
        &mut self,
        config: &ServerConfig,
        outgoing: &OutgoingCall,
        payloads: &[CallPayload],
    ) -> Result<(EncodedCall, Option<Bytes>), CallError> {
        let place = &outgoing.plan.place;
        let channel = place.schema.channel;
        let room = config.channel_info(channel).room;
        for (framing, _, writer) in payloads {
            if let Some(kind) = room.refusal(framing.form(), writer.len()) {
                return Err(WriteError::new(kind, 0, Some(place.name), None).into());
            }
        }
        let payload = |wanted| payloads.iter().find(|(framing, ..)| *framing == wanted);
        let (unet, compact) = (payload(Framing::Unet), payload(Framing::Compact));
        let arguments = compact.map(|(.., writer)| writer.as_bytes());
        let [_, is_spoken] = outgoing.plan.spoken;
        let arguments = arguments.and_then(|payload| payload.get(outgoing.header..));
        let arguments = arguments.map(Bytes::copy_from_slice);
        let call = EncodedCall {
            channel,
            unet: self.frame_call(unet),
            compact: self.frame_call(compact.filter(|_| is_spoken)),
        };
        Ok((call, arguments))
    }

    /// Defers a call until its object is shown, or until the next frame.
    pub(crate) fn defer(
        &mut self,
        config: &ServerConfig,
        object: NetId,
        plan: &CallPlan,
        call: EncodedCall,
    ) {
        let deferred = DeferredCall {
            object,
            target: plan.target.clone(),
            call,
        };
        let behind_state = is_behind_state(config, &plan.place);
        self.push_deferred(deferred, behind_state);
    }

    /// Gives the writers of a sent call back.
    pub(crate) fn reuse(&mut self, payloads: ArrayVec<CallPayload, 2>) {
        for (framing, _, mut writer) in payloads {
            writer.truncate(0);
            writer.take_error();
            self.writers[usize::from(framing.number())] = writer;
        }
    }

    /// Frames a payload as a message.
    fn frame_call(&mut self, payload: Option<&CallPayload>) -> Option<(MessageType, Bytes)> {
        let (_, message_type, payload) = payload?;
        frame(&mut self.messages, *message_type, payload.as_bytes());
        Some((*message_type, self.messages.take_bytes()))
    }
}
