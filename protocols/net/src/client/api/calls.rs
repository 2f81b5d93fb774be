//! Commands, messages and players: what the program sends to the server.

use syncvar_runtime::MessageError;
use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::unstable::call::{CallPlace, CallRequest, CallRouter, Class, RoutedCall};
use syncvar_runtime::unstable::translate::resolve::{CallPlan, PrefabPlan};
use syncvar_runtime::{
    CallError, CommandSender, ConnectionId, NetId, NetworkCalls, NetworkReader, NetworkWriter,
    SyncValue, Target, WriteError, WriteErrorKind,
};

use crate::client::NetworkClient;
use crate::client::arrivals::Arrivals;
use crate::client::objects::Objects;
use crate::client::translation::{translate_arguments, translate_message};
use crate::message::{
    AddPlayer, Incoming, RemovePlayer, View, frame, frame_number, write_address, write_header,
};
use crate::{Framing, MessageType};

impl NetworkClient {
    /// Returns the commands of `B` on an object: a value with one method per `#[command]`. They run on
    /// the object's first behaviour of type `B` or with the base `B`.
    ///
    /// The server decides whether this client may call. The client checks beforehand as far as it can: a
    /// command that requires ownership is an error on an object that this client does not own.
    pub fn calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Commands<'_> {
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::commands(CommandSender::through(self, id, Class::of::<B>(None)))
    }

    /// Returns the commands of the behaviour at a position, for objects with two behaviours of one type.
    pub fn calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Commands<'_> {
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::commands(CommandSender::through(
            self,
            id,
            Class::of::<B>(Some(index)),
        ))
    }

    /// Sends a message to the server on channel 0, ready or not. It keeps its order among the calls of
    /// this client, and precedes the owner writes of the next [`update`](Self::update).
    ///
    /// The server ignores messages beyond
    /// [`Limits::program_message_rate`](syncvar_runtime::Limits::program_message_rate), and refuses
    /// longer ones than [`Limits::max_program_message`](syncvar_runtime::Limits::max_program_message).
    ///
    /// # Errors
    ///
    /// When the type is not [registered](syncvar_runtime::Prefabs::message), the client is not
    /// connected, or the value has no encoding or is too long.
    pub fn send<M: SyncValue>(&mut self, message: &M) -> Result<(), MessageError> {
        self.send_on(0, message)
    }

    /// Sends a message to the server on a channel. On an unreliable channel it may be lost, and must fit
    /// a packet.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send), and for an unknown channel.
    pub fn send_on<M: SyncValue>(&mut self, channel: u8, message: &M) -> Result<(), MessageError> {
        let number = self.objects.world.prefabs.messages().find::<M>()?.number;
        let mut value = NetworkWriter::with_encoding(self.session.server.framing.encoding());
        value.write(message);
        self.send_written(channel, number, value)
    }

    /// Sends a message whose value is written.
    pub(super) fn send_written(
        &mut self,
        channel: u8,
        number: i16,
        mut value: NetworkWriter,
    ) -> Result<(), MessageError> {
        if !self.is_connected() || !self.session.is_heard() {
            return Err(MessageError::NotConnected(ConnectionId::SERVER));
        }
        if usize::from(channel) >= self.context.config.channels.len() {
            return Err(MessageError::UnknownChannel(channel));
        }
        let form = self.session.server.framing.form();
        if let Some(error) = value.take_error() {
            return Err(error.into());
        }
        let number = self.translate_sent(number, &mut value)?;
        if let Some(kind) = self
            .session
            .room(
                channel,
                &self.context.config,
                view_of(self.arrivals.as_ref(), &self.objects).is_some(),
            )
            .refusal(form, value.len())
        {
            return Err(WriteError::new(kind, 0, None, None).into());
        }
        let (view, stats) = (
            view_of(self.arrivals.as_ref(), &self.objects),
            &mut self.context.stats,
        );
        let outbound = &mut self.outbound;
        let length = outbound.send_with_view(channel, view.as_ref(), stats, |writer| {
            frame_number(writer, number, value.as_bytes());
        });
        self.context.stats.program_sent.add(length);
        Ok(())
    }

    /// Asks the server for a player with a number: UNet's `AddPlayer`. The server's program decides
    /// ([`ServerEvent::AddPlayer`](crate::ServerEvent::AddPlayer)); [`ClientEvent::Player`](crate::ClientEvent::Player) reports the
    /// object. No effect without a connection, and with a payload of more than 65 535 bytes.
    pub fn add_player(&mut self, number: i16, payload: &Payload) {
        if self.is_connected() {
            let number = number.cast_unsigned();
            let payload = payload.as_bytes().to_vec();
            self.send_own(&AddPlayer { number, payload });
        }
    }

    /// Gives a player back: UNet's `RemovePlayer`. The server's program despawns its object, or keeps it.
    pub fn remove_player(&mut self, number: i16) {
        if self.is_connected() {
            let number = number.cast_unsigned();
            self.send_own(&RemovePlayer { number });
        }
    }

    /// Returns the player with a number, while this client owns it.
    pub fn player(&self, number: i16) -> Option<NetId> {
        let mut players = self.session.players.iter();
        let (_, player) = players.find(|(known, _)| *known == number)?;
        self.is_owner(*player).then_some(*player)
    }
}

impl NetworkClient {
    /// Begins a command that this client may call.
    pub(super) fn begin_command(
        &mut self,
        object: NetId,
        place: CallPlace,
    ) -> Result<RoutedCall, CallError> {
        if !self.is_connected() || !self.session.is_heard() {
            return Err(CallError::NotConnected);
        }
        let prefab = self.objects.world.prefab(object);
        let prefab = prefab.ok_or(CallError::UnknownObject(object))?;
        if let Some(plan) = self.differing_plan(object)
            && sent_call(plan, prefab.calls.number(&place)).is_none()
        {
            let (behaviour, call) = (place.name, place.schema.name);
            return Err(CallError::ServerLacks { behaviour, call });
        }
        let mut writer = NetworkWriter::with_encoding(self.framing().encoding());
        write_header(self.framing(), &mut writer, object, &place, &prefab.calls);
        Ok(RoutedCall {
            object,
            place,
            target: Target::Observers,
            writers: [writer].into_iter().collect(),
        })
    }
}

impl CallRouter for NetworkClient {
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError> {
        let CallRequest { object, class, .. } = request;
        if !self.is_connected() || !self.session.is_heard() {
            return Err(CallError::NotConnected);
        }
        let (framing, number) = (self.framing(), request.number);
        let channels = self.context.config.channels.len();
        let place = self
            .objects
            .command(object, class, number, framing, channels)?;
        self.begin_command(object, place)
    }

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let place = call.place;
        let channel = place.schema.channel;
        let room = self.session.room(
            channel,
            &self.context.config,
            view_of(self.arrivals.as_ref(), &self.objects).is_some(),
        );
        let message_type = match self.framing() {
            Framing::Unet => MessageType::Command,
            Framing::Compact => MessageType::Call,
        };
        let translated = self.translate_call(&call)?;
        for payload in translated
            .iter()
            .chain(&call.writers)
            .take(call.writers.len())
        {
            if let Some(kind) = room.refusal(self.framing().form(), payload.len()) {
                return Err(WriteError::new(kind, 0, Some(place.name), None).into());
            }
            let (view, stats) = (
                view_of(self.arrivals.as_ref(), &self.objects),
                &mut self.context.stats,
            );
            let outbound = &mut self.outbound;
            let length = outbound.send_with_view(channel, view.as_ref(), stats, |writer| {
                frame(writer, message_type, payload.as_bytes());
            });
            self.context.stats.count_encoded(message_type, length);
        }
        Ok(())
    }
}

impl NetworkClient {
    /// Translates a message for a server of a different build. Returns its number there.
    fn translate_sent(&self, number: i16, value: &mut NetworkWriter) -> Result<i16, MessageError> {
        let Some(translation) = self.session.build.translation.as_ref() else {
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

    /// Returns the plan of an object whose bytes differ from those of the server's build.
    fn differing_plan(&self, object: NetId) -> Option<&PrefabPlan> {
        let translation = self.session.build.translation.as_ref()?;
        let prefab = self.objects.world.prefab(object)?;
        translation.differing(prefab.index)
    }

    /// Translates a command for a server of a different build; `None` for a server of this build.
    fn translate_call(&self, call: &RoutedCall) -> Result<Option<NetworkWriter>, CallError> {
        let (Some(plan), Some(own)) = (self.differing_plan(call.object), call.writers.first())
        else {
            return Ok(None);
        };
        let prefab = self.objects.world.prefab(call.object);
        let number = prefab.map(|prefab| prefab.calls.number(&call.place));
        let place = &call.place;
        let Some(plan) = number.and_then(|number| sent_call(plan, number)) else {
            let (behaviour, call) = (place.name, place.schema.name);
            return Err(CallError::ServerLacks { behaviour, call });
        };
        let message_type = match self.framing() {
            Framing::Unet => MessageType::Command,
            Framing::Compact => MessageType::Call,
        };
        let decoded = Incoming::decode(message_type, own.as_bytes());
        let translated =
            decoded.and_then(|mut own| translate_arguments(&plan.arguments, &mut own.arguments));
        let kind = WriteErrorKind::Custom("an argument does not fit its type on the server");
        let unfit = || CallError::from(WriteError::new(kind, 0, Some(place.name), None));
        let translated = translated.ok().filter(|translated| translated.fits);
        let arguments = translated.ok_or_else(unfit)?;
        let mut writer = NetworkWriter::with_encoding(self.framing().encoding());
        write_address(&mut writer, call.object, plan.number, plan.hash);
        writer.write_bytes(&arguments.bytes);
        Ok(Some(writer))
    }
}

/// Returns the plan of a command by its number in this build.
fn sent_call(plan: &PrefabPlan, number: u64) -> Option<&CallPlan> {
    plan.sent.get(usize::try_from(number).ok()?)?.as_ref()
}

/// Returns the view that the next command refers to; `None` for prefabs without a history.
fn view_of(arrivals: Option<&Arrivals>, objects: &Objects) -> Option<View> {
    arrivals?.view(objects)
}
