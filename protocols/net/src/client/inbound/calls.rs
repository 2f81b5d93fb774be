//! Remote calls of the server: read up to their arguments, then run by the conductor.

use super::{Inbound, Reading};
use crate::MessageType;
use crate::client::context::Context;
use crate::client::state_message::StateMessage;
use crate::client::translation::{is_known_call, received_call, translate_arguments};
use crate::client::{ClientEvent, RefusedCommand};
use crate::message::{CallName, CommandRefused, Incoming, Message, named};
use syncvar_runtime::unstable::call::{CallPlace, Failure};
use syncvar_runtime::unstable::translate::resolve::PrefabPlan;
use syncvar_runtime::{CallFailure, Encoding, NetId, NetworkReader, ReadError, ReceivedEvent};

/// Received call whose object and behaviour are known.
#[derive(Debug)]
pub(crate) struct ReceivedCall<'a> {
    pub(crate) object: NetId,
    pub(crate) place: CallPlace,
    arguments: NetworkReader<'a>,
    /// Arguments in the types of this build; `None` from a server of this build.
    translated: Option<Vec<u8>>,
    encoding: Encoding,
    /// Bytes of the arguments.
    bytes: &'a [u8],
}

impl ReceivedCall<'_> {
    /// Runs a function with the arguments, in the types of this build.
    pub(crate) fn with_arguments<R>(&mut self, run: impl FnOnce(&mut NetworkReader<'_>) -> R) -> R {
        let Some(bytes) = &self.translated else {
            return run(&mut self.arguments);
        };
        let budget = self.arguments.budget();
        run(&mut NetworkReader::with_encoding(bytes, self.encoding).with_budget(budget))
    }
}

impl Inbound {
    /// Reads the header of a call. Returns `None` if the call waits for the announcement of its object, or for the
    /// state of its tick.
    pub(crate) fn read_call<'a>(
        &mut self,
        message: StateMessage<'a>,
        lent: &mut Reading<'_>,
    ) -> Result<Option<ReceivedCall<'a>>, ReadError> {
        let mut call = Incoming::decode(message.message_type, message.payload)?;
        call.arguments = call.arguments.with_budget(self.budget);
        if self.early.defer_call(call.object, message, lent) {
            return Ok(None);
        }
        let prefab = lent.objects.world.prefab(call.object);
        let translation = lent.session.build.translation.clone();
        let plan = { translation.as_ref() }.and_then(|it| it.differing(prefab?.index));
        let call_plan = plan.and_then(|plan| received_call(plan, call.name));
        if plan.is_some_and(|plan| is_known_call(plan, call.name)) && call_plan.is_none() {
            // This build lacks the call.
            return Ok(None);
        }
        let name = call_plan.map_or(call.name, |plan| CallName::Number(plan.number));
        let place = prefab.and_then(|prefab| named(&prefab.calls, name));
        if place.is_some_and(|place| place.schema.after_state)
            && let (Some(tick), Some(arrivals)) = (self.packet.tick, &mut lent.arrivals)
            && arrivals.defer_call(tick, message, lent.context.now())
        {
            return Ok(None);
        }
        let fits = |place: &CallPlace| match message.message_type {
            MessageType::SyncEvent => place.is_event(),
            MessageType::Rpc => !place.is_event() && !place.is_command(),
            _ => !place.is_command(),
        };
        let Some(place) = place.filter(fits) else {
            let number = match call.name {
                CallName::Hash(hash) => hash,
                CallName::Number(number) => u32::try_from(number).unwrap_or(u32::MAX),
            };
            return Err(call.arguments.unknown_call(number));
        };
        let encoding = call.arguments.encoding();
        let mut translated = None;
        if let Some(plan) = call_plan {
            let arguments = translate_arguments(&plan.arguments, &mut call.arguments)?;
            if !arguments.fits {
                let message = "an argument of the server does not fit its type".into();
                let failure = CallFailure::new(call.object, &place, message);
                let event = ClientEvent::CallFailed(Box::new(failure));
                lent.context.events.push(event);
                return Ok(None);
            }
            translated = Some(arguments.bytes);
        }
        Ok(Some(ReceivedCall {
            object: call.object,
            place,
            encoding,
            bytes: call.arguments.rest(),
            arguments: call.arguments,
            translated,
        }))
    }

    /// Reports the result of a call that has run: `None` if its object is gone or checked out.
    pub(crate) fn finish_call(
        &mut self,
        call: &ReceivedCall<'_>,
        ran: Option<Result<(), Failure>>,
        context: &mut Context,
    ) -> Result<(), ReadError> {
        self.budget = call.arguments.budget();
        let (object, place) = (call.object, &call.place);
        let (message, result) = match ran {
            Some(Ok(())) => {
                if place.is_event() {
                    let bytes = call.translated.as_deref().unwrap_or(call.bytes);
                    let event = ReceivedEvent::new(object, place, call.encoding, bytes);
                    context.events.push(ClientEvent::SyncEvent(event));
                }
                return Ok(());
            }
            None => {
                context.stats.unknown_objects += 1;
                return Ok(());
            }
            Some(Err(Failure::Panicked(message))) => (message, Ok(())),
            Some(Err(Failure::Malformed(error))) => (error.to_string(), Err(error)),
        };
        tracing::error!(%object, call = place.schema.name, message, "a call has failed");
        let failure = CallFailure::new(object, place, message);
        let event = ClientEvent::CallFailed(Box::new(failure));
        context.events.push(event);
        result
    }
}

/// Reports commands of this client that the server has not run.
pub(super) fn read_refusal(payload: &[u8], lent: &mut Reading<'_>) -> Result<(), ReadError> {
    let CommandRefused {
        object,
        number,
        reason,
        calls,
    } = CommandRefused::decode(payload)?;
    let prefab = lent.objects.world.prefab(object);
    let place = prefab.and_then(|prefab| {
        let own = match lent.session.plan(prefab.index) {
            Some(plan) => own_number(plan, number)?,
            None => number,
        };
        prefab.calls.numbered(own)
    });
    let command = place.filter(CallPlace::is_command);
    let command = command.map(|place| (place.name, place.schema.name));
    let refused = RefusedCommand {
        object,
        command,
        reason,
        calls,
    };
    let event = ClientEvent::CommandRefused(Box::new(refused));
    lent.context.events.push(event);
    Ok(())
}

/// Returns the number in this build of a command with a number on the server.
fn own_number(plan: &PrefabPlan, number: u64) -> Option<u64> {
    let mut sent = plan.sent.iter();
    let own = sent.position(|call| call.as_ref().is_some_and(|call| call.number == number));
    own.map(|own| own as u64)
}
