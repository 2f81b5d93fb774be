//! Remote connections: players whose clients have joined a gateway, and the gateway's half.

use bytes::Bytes;
use syncvar_runtime::unstable::call::{CallPlace, Failure};
use syncvar_runtime::{
    Called, CommandRefusal, ConnectionId, DisconnectReason, Encoding, NetworkWriter, ReadError,
};

use crate::message::{Frame, Incoming, InputTicks, named, write_address, write_inputs};
use crate::server::calls::commands::refuse_command;
use crate::server::calls::report_panic;
use crate::server::sessions::connection::{Connection, ConnectionState};
use crate::server::{NetworkServer, RemoteMessage, ServerEvent};
use crate::{Framing, MessageType};

/// Inputs in a message to the server with the object, so that a lost message costs nothing.
const INPUT_COPIES: u64 = 8;

impl NetworkServer {
    /// Adds the connection of a player whose client has joined a different server, a gateway. `key` is the
    /// [key](Self::set_player_key) of the player: the objects that wait for it belong to the connection at once.
    ///
    /// The connection has no link. It owns objects, sends commands and inputs, and receives messages of the program and calls to itself by
    /// [`poll_remote`](Self::poll_remote). It observes nothing: the gateway follows the records of this server. It is
    /// [connected](Self::is_connected), and not [ready](Self::is_ready). [`disconnect_remote`](Self::disconnect_remote) ends it.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// let ann = server.connect_remote("ann");
    /// assert!(server.is_connected(ann) && server.is_remote(ann));
    /// server.disconnect_remote(ann);
    /// assert!(!server.is_connected(ann));
    /// ```
    pub fn connect_remote(&mut self, key: impl Into<Bytes>) -> ConnectionId {
        let key = key.into();
        let former = self.sessions.returns.players.connection(&key);
        if let Some(former) = former.filter(|it| self.is_remote(*it)) {
            // The player has joined a second gateway.
            self.disconnect_remote(former);
        }
        let connection = self.sessions.next_id();
        let mut remote = Connection::new(connection, self.context.config.gathered_size());
        remote.state = ConnectionState::Remote;
        remote.framing = Framing::Compact;
        self.sessions.connections.insert(connection.0, remote);
        let events = &mut self.context.events;
        events.push(ServerEvent::Connected { connection });
        // The connection exists.
        let _ = self.set_player_key(connection, key);
        connection
    }

    /// Ends a remote connection: its objects wait for the player.
    pub fn disconnect_remote(&mut self, connection: ConnectionId) {
        if self.is_remote(connection) {
            self.close(connection, DisconnectReason::ConnectionLost);
            self.sessions.connections.remove(connection.0);
            self.outbound
                .outgoing
                .retain(|listed| *listed != connection);
        }
    }

    /// Returns whether a connection is [remote](Self::connect_remote).
    pub fn is_remote(&self, connection: ConnectionId) -> bool {
        self.sessions.is_remote(connection)
    }

    /// Returns the oldest message for a remote connection that was not returned before.
    pub fn poll_remote(&mut self) -> Option<RemoteMessage> {
        self.outbound.remote.pop_front()
    }

    /// Runs a command of a remote connection: the bytes of [`command_bytes`](Self::command_bytes) at the gateway, which has checked its
    /// rate. The ownership of the object is checked here.
    ///
    /// # Errors
    ///
    /// For a command that is refused. [`ServerEvent::CommandRefused`] reports it, too.
    pub fn run_remote_command(
        &mut self,
        connection: ConnectionId,
        command: &[u8],
    ) -> Result<(), CommandRefusal> {
        let malformed = CommandRefusal::Malformed;
        let call = Incoming::decode(MessageType::Call, command).map_err(malformed)?;
        let (object, name, arguments) = (call.object, call.name, call.arguments);
        let prefab = self.objects.world.prefab(object);
        let known = prefab.ok_or(CommandRefusal::UnknownObject);
        let place = known.and_then(|prefab| {
            let place = named(&prefab.calls, name).filter(CallPlace::is_command);
            place.ok_or(CommandRefusal::UnknownCall)
        });
        let result = place.clone().and_then(|place| {
            if place.schema.requires_ownership && self.owner(object) != Some(connection) {
                return Err(CommandRefusal::NotOwner);
            }
            let budget = (self.context.config.limits).budget(command.len(), usize::MAX);
            let mut arguments = arguments.with_budget(budget);
            let ran = self.run_object_call(object, &place, Some(connection), &mut arguments);
            report_panic(
                &mut self.context,
                object,
                &place,
                Some(connection),
                ran.as_ref(),
            );
            match ran {
                None => Err(CommandRefusal::UnknownObject),
                Some(Err(Failure::Malformed(error))) => Err(CommandRefusal::Malformed(error)),
                Some(Ok(()) | Err(Failure::Panicked(_))) => Ok(()),
            }
        });
        self.run_local_calls();
        if let Err(reason) = &result {
            let place = place.as_ref().ok();
            refuse_command(&mut self.context, connection, object, place, reason.clone());
        }
        result
    }

    /// Takes the inputs of a remote connection: the bytes of [`input_bytes`](Self::input_bytes) at the gateway.
    ///
    /// # Errors
    ///
    /// For malformed inputs.
    pub fn take_remote_inputs(
        &mut self,
        connection: ConnectionId,
        inputs: &[u8],
    ) -> Result<(), ReadError> {
        if !self.is_remote(connection) {
            return Ok(());
        }
        self.handle_inputs(
            connection,
            Frame {
                message_type: MessageType::Inputs.number(),
                payload: inputs,
                long: false,
            },
        )
    }

    /// Returns the bytes of a permitted command of a client, for the server with the object: see
    /// [`run_remote_command`](Self::run_remote_command). `None` for a client with the framing [`Unet`](Framing::Unet), and for an
    /// unknown object.
    pub fn command_bytes(&self, called: &Called) -> Option<Bytes> {
        let (place, encoding, arguments) = called.encoded();
        let prefab = self.objects.world.prefab(called.object())?;
        if encoding != Encoding::Compact {
            return None;
        }
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        let number = prefab.calls.number(place);
        write_address(&mut writer, called.object(), number, place.schema.hash);
        writer.write_bytes(arguments);
        Some(writer.take_bytes())
    }

    /// Returns the last inputs of a client, for the server with its object: see [`take_remote_inputs`](Self::take_remote_inputs).
    /// `shift` is the distance from the ticks of this server to those of the other one. `needed` is the tick whose input is needed now: the
    /// clock of the client runs ahead of it, as in [`input`](Self::input). `None` without inputs.
    pub fn input_bytes(
        &mut self,
        connection: ConnectionId,
        needed: u64,
        shift: i64,
    ) -> Option<Bytes> {
        let present = self.network_time().tick;
        let known = self.sessions.connections.get_mut(connection.0)?;
        let inputs = known.motion.inputs.as_mut()?;
        inputs.note_use(needed, present);
        let newest = inputs.list.newest()?;
        let mut first = newest;
        while newest - first + 1 < INPUT_COPIES
            && first > 0
            && inputs.list.bytes(first - 1).is_some()
        {
            first -= 1;
        }
        let ticks = InputTicks {
            first,
            newest,
            relative: false,
        };
        let mut writer = NetworkWriter::new();
        let shown = newest.checked_add_signed(shift)?;
        write_inputs(&mut writer, ticks, shown, &*inputs.list);
        Some(writer.take_bytes())
    }

    /// Sends a message for a remote connection, which its server has [returned](Self::poll_remote), to its client.
    pub fn send_remote(&mut self, connection: ConnectionId, channel: u8, message: &Bytes) {
        if self.sessions.takes_messages(connection)
            && self.sessions.framing(connection) == Some(Framing::Compact)
        {
            self.deliver();
            let chunks = std::slice::from_ref(message);
            let mut ground = self.rooms().ground;
            ground.send_chunks(channel, connection, chunks);
        }
    }
}
