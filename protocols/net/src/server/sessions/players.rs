//! Players: objects of a connection by number, as in UNet's `AddPlayer`.

use std::any::TypeId;

use syncvar_runtime::endpoint::{Misbehaviour, Payload};
use syncvar_runtime::{ConnectionId, NetId, NetworkReader, ObjectError, ReadError, ReadErrorKind};

use crate::message::{AddPlayer, Message, RemovePlayer};
use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::sessions::Sessions;

/// Key of the requests among the rates of a connection.
struct PlayerRequests;

impl Sessions {
    /// Gives a number of an accepted connection to another object, or to none.
    pub(crate) fn set_player(
        &mut self,
        connection: ConnectionId,
        number: i16,
        object: Option<NetId>,
    ) -> Result<(), ObjectError> {
        let known = self.connections.get_mut(connection.0);
        let known = known.filter(|known| known.is_connected());
        let known = known.ok_or(ObjectError::NotConnected(connection))?;
        known.ownership.remove_player(number);
        known
            .ownership
            .players
            .extend(object.map(|id| (number, id)));
        Ok(())
    }

    /// Returns the player of a connection with a number, while the connection owns it.
    pub(crate) fn player(
        &self,
        objects: &Objects,
        connection: ConnectionId,
        number: i16,
    ) -> Option<NetId> {
        let players = &self.connections.get(connection.0)?.ownership.players;
        let (_, player) = players.iter().find(|(known, _)| *known == number)?;
        (objects.owner(*player) == Some(connection)).then_some(*player)
    }

    /// Reports a request for a player.
    pub(crate) fn receive_add_player(
        &mut self,
        context: &mut Context,
        connection: ConnectionId,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let (length, limit) = (payload.len(), context.config.limits.max_program_message);
        if length > limit {
            let kind = ReadErrorKind::MessageTooLong { length, limit };
            return Err(NetworkReader::new(payload).error(kind));
        }
        let AddPlayer { number, payload } = AddPlayer::decode(payload)?;
        if self.allows_player_request(context, connection) {
            context.events.push_minor(ServerEvent::AddPlayer {
                connection,
                number: number.cast_signed(),
                payload: Payload::from(payload),
            });
        }
        Ok(())
    }

    /// Forgets the number of a player, and reports the request.
    pub(crate) fn receive_remove_player(
        &mut self,
        context: &mut Context,
        objects: &Objects,
        connection: ConnectionId,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let number = RemovePlayer::decode(payload)?.number.cast_signed();
        if self.allows_player_request(context, connection) {
            let object = self.player(objects, connection, number);
            if let Some(known) = self.connections.get_mut(connection.0) {
                known.ownership.remove_player(number);
            }
            context.events.push_minor(ServerEvent::RemovePlayer {
                connection,
                number,
                object,
            });
        }
        Ok(())
    }

    /// Counts a request. Returns whether it is within the rate of messages.
    fn allows_player_request(&mut self, context: &mut Context, from: ConnectionId) -> bool {
        let (rate, now) = (
            context.config.limits.program_message_rate,
            context.clock.now(),
        );
        let key = (TypeId::of::<PlayerRequests>(), 0);
        let connection = self.connections.get_mut(from.0);
        let allowed = connection.is_some_and(|known| known.intake.rates.allow(key, rate, now));
        if !allowed {
            context.stats.refused.program_messages += 1;
            self.intake.count(Misbehaviour::Ignored);
        }
        allowed
    }
}
