//! Commands, messages and players: what the program sends to the server.

use syncvar_runtime::endpoint::Payload;
use syncvar_runtime::unstable::call::{CallRequest, CallRouter, Class, RoutedCall};
use syncvar_runtime::{
    CallError, CommandSender, MessageError, NetId, NetworkCalls, NetworkWriter, SyncValue,
};

use crate::client::NetworkClient;
use crate::message::{AddPlayer, RemovePlayer};

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
        let view = self.arrivals.as_ref().and_then(|it| it.view(&self.objects));
        let (outbound, context) = (&mut self.outbound, &mut self.context);
        self.session
            .send_message(channel, number, value, view.as_ref(), outbound, context)
    }

    /// Asks the server for a player with a number: UNet's `AddPlayer`. The server's program decides
    /// ([`ServerEvent::AddPlayer`](crate::ServerEvent::AddPlayer)); [`ClientEvent::Player`](crate::ClientEvent::Player) reports the
    /// object. No effect without a connection, and with a payload of more than 65 535 bytes.
    pub fn add_player(&mut self, number: i16, payload: &Payload) {
        if self.is_connected() {
            let number = number.cast_unsigned();
            let payload = payload.as_bytes().to_vec();
            let (outbound, stats) = (&mut self.outbound, &mut self.context.stats);
            self.session
                .send(&AddPlayer { number, payload }, outbound, stats);
        }
    }

    /// Gives a player back: UNet's `RemovePlayer`. The server's program despawns its object, or keeps it.
    pub fn remove_player(&mut self, number: i16) {
        if self.is_connected() {
            let number = number.cast_unsigned();
            let (outbound, stats) = (&mut self.outbound, &mut self.context.stats);
            self.session.send(&RemovePlayer { number }, outbound, stats);
        }
    }

    /// Returns the player with a number, while this client owns it.
    pub fn player(&self, number: i16) -> Option<NetId> {
        let mut players = self.session.players.iter();
        let (_, player) = players.find(|(known, _)| *known == number)?;
        self.is_owner(*player).then_some(*player)
    }
}

impl CallRouter for NetworkClient {
    fn begin_call(&mut self, request: CallRequest) -> Result<RoutedCall, CallError> {
        let CallRequest { object, class, .. } = request;
        if !self.session.takes_commands() {
            return Err(CallError::NotConnected);
        }
        let (framing, number) = (self.framing(), request.number);
        let channels = self.context.config.channels.len();
        let place = self
            .objects
            .command(object, class, number, framing, channels)?;
        self.session.begin_command(object, place, &self.objects)
    }

    fn send_call(&mut self, call: RoutedCall) -> Result<(), CallError> {
        let (objects, arrivals) = (&self.objects, self.arrivals.as_ref());
        let view = arrivals.and_then(|arrivals| arrivals.view(objects));
        let (outbound, context) = (&mut self.outbound, &mut self.context);
        self.session
            .send_command(&call, view.as_ref(), objects, outbound, context)
    }
}
