//! Commands and messages of the program, written in the types of the server's build.

use super::Session;
use crate::client::context::Context;
use crate::client::objects::Objects;
use crate::client::outbound::Outbound;
use crate::client::translation::{translate_arguments, translate_message};
use crate::message::{Incoming, View, frame, frame_number, write_address, write_header};
use crate::{Framing, MessageType};
use syncvar_runtime::unstable::call::{CallPlace, RoutedCall};
use syncvar_runtime::unstable::translate::resolve::{CallPlan, PrefabPlan};
use syncvar_runtime::{
    CallError, ConnectionId, MessageError, NetId, NetworkReader, NetworkWriter, Target, WriteError,
    WriteErrorKind,
};

impl Session {
    /// Sends a message of the program whose value is written. `view`: the view that the message follows.
    pub(crate) fn send_message(
        &self,
        channel: u8,
        number: i16,
        mut value: NetworkWriter,
        view: Option<&View>,
        outbound: &mut Outbound,
        context: &mut Context,
    ) -> Result<(), MessageError> {
        if !self.takes_commands() {
            return Err(MessageError::NotConnected(ConnectionId::SERVER));
        }
        if usize::from(channel) >= context.config.channels.len() {
            return Err(MessageError::UnknownChannel(channel));
        }
        if let Some(error) = value.take_error() {
            return Err(error.into());
        }
        let number = self.translate_sent(number, &mut value)?;
        let room = self.room(channel, &context.config, view.is_some());
        if let Some(kind) = room.refusal(self.server.framing.form(), value.len()) {
            return Err(WriteError::new(kind, 0, None, None).into());
        }
        let stats = &mut context.stats;
        let length = outbound.send_with_view(channel, view, stats, |writer| {
            frame_number(writer, number, value.as_bytes());
        });
        context.stats.program_sent.add(length);
        Ok(())
    }

    /// Begins a command that this client may call.
    pub(crate) fn begin_command(
        &self,
        object: NetId,
        place: CallPlace,
        objects: &Objects,
    ) -> Result<RoutedCall, CallError> {
        if !self.takes_commands() {
            return Err(CallError::NotConnected);
        }
        let prefab = objects.world.prefab(object);
        let prefab = prefab.ok_or(CallError::UnknownObject(object))?;
        if let Some(plan) = self.plan(prefab.index)
            && sent_call(plan, prefab.calls.number(&place)).is_none()
        {
            return Err(server_lacks(&place));
        }
        let framing = self.server.framing;
        let mut writer = NetworkWriter::with_encoding(framing.encoding());
        write_header(framing, &mut writer, object, &place, &prefab.calls);
        Ok(RoutedCall {
            object,
            place,
            target: Target::Observers,
            writers: [writer].into_iter().collect(),
        })
    }

    /// Sends a command whose arguments are written.
    pub(crate) fn send_command(
        &self,
        call: &RoutedCall,
        view: Option<&View>,
        objects: &Objects,
        outbound: &mut Outbound,
        context: &mut Context,
    ) -> Result<(), CallError> {
        let (place, channel) = (call.place, call.place.schema.channel);
        let room = self.room(channel, &context.config, view.is_some());
        let (framing, message_type) = (self.server.framing, self.command_type());
        let translated = self.translate_call(call, objects)?;
        let payloads = translated.iter().chain(&call.writers);
        for payload in payloads.take(call.writers.len()) {
            if let Some(kind) = room.refusal(framing.form(), payload.len()) {
                return Err(WriteError::new(kind, 0, Some(place.name), None).into());
            }
            let stats = &mut context.stats;
            let length = outbound.send_with_view(channel, view, stats, |writer| {
                frame(writer, message_type, payload.as_bytes());
            });
            context.stats.count_encoded(message_type, length);
        }
        Ok(())
    }

    /// Returns whether a server takes commands and messages of the program.
    pub(crate) fn takes_commands(&self) -> bool {
        self.is_connected() && self.is_heard()
    }

    fn command_type(&self) -> MessageType {
        match self.server.framing {
            Framing::Unet => MessageType::Command,
            Framing::Compact => MessageType::Call,
        }
    }

    /// Translates a message for a server of a different build. Returns its number there.
    fn translate_sent(&self, number: i16, value: &mut NetworkWriter) -> Result<i16, MessageError> {
        let Some(translation) = self.build.translation.as_ref() else {
            return Ok(number);
        };
        let plan = translation.sent_message(number);
        let name = || plan.map_or_else(String::new, |plan| plan.name.clone());
        let found = plan.and_then(|plan| Some((plan, plan.to?)));
        let (plan, to) = found.ok_or_else(|| MessageError::ServerLacks(name()))?;
        let mut own = NetworkReader::with_encoding(value.as_bytes(), value.encoding());
        let translated = translate_message(plan, &mut own).ok();
        let translated = translated.filter(|translated| translated.fits);
        let Some(translated) = translated else {
            let kind = WriteErrorKind::Custom("the message does not fit its type on the server");
            return Err(WriteError::new(kind, 0, None, None).into());
        };
        value.truncate(0);
        value.write_bytes(&translated.bytes);
        Ok(to)
    }

    /// Translates a command for a server of a different build; `None` for a server of this build.
    fn translate_call(
        &self,
        call: &RoutedCall,
        objects: &Objects,
    ) -> Result<Option<NetworkWriter>, CallError> {
        let (prefab, place) = (objects.world.prefab(call.object), &call.place);
        let plan = prefab.and_then(|prefab| Some((prefab, self.plan(prefab.index)?)));
        let (Some((prefab, plan)), Some(own)) = (plan, call.writers.first()) else {
            return Ok(None);
        };
        let plan = sent_call(plan, prefab.calls.number(place));
        let plan = plan.ok_or_else(|| server_lacks(place))?;
        let decoded = Incoming::decode(self.command_type(), own.as_bytes());
        let translated =
            decoded.and_then(|mut own| translate_arguments(&plan.arguments, &mut own.arguments));
        let kind = WriteErrorKind::Custom("an argument does not fit its type on the server");
        let unfit = || CallError::from(WriteError::new(kind, 0, Some(place.name), None));
        let translated = translated.ok().filter(|translated| translated.fits);
        let arguments = translated.ok_or_else(unfit)?;
        let mut writer = NetworkWriter::with_encoding(self.server.framing.encoding());
        write_address(&mut writer, call.object, plan.number, plan.hash);
        writer.write_bytes(&arguments.bytes);
        Ok(Some(writer))
    }
}

/// Returns the plan of a command by its number in this build.
fn sent_call(plan: &PrefabPlan, number: u64) -> Option<&CallPlan> {
    plan.sent.get(usize::try_from(number).ok()?)?.as_ref()
}

fn server_lacks(place: &CallPlace) -> CallError {
    let (behaviour, call) = (place.name, place.schema.name);
    CallError::ServerLacks { behaviour, call }
}
