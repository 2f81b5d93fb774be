//! Players: objects of a connection by number, as in UNet's `AddPlayer`.

use std::any::TypeId;

use syncvar_runtime::endpoint::{Misbehaviour, Payload};
use syncvar_runtime::{ConnectionId, NetworkReader, ReadError, ReadErrorKind};

use crate::message::{AddPlayer, Message, RemovePlayer};
use crate::server::{NetworkServer, ServerEvent};

/// Key of the requests among the rates of a connection.
struct Requests;

impl NetworkServer {
    /// Reports a request for a player.
    pub(crate) fn handle_add_player(
        &mut self,
        connection: ConnectionId,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let (length, limit) = (
            payload.len(),
            self.context.config.limits.max_program_message,
        );
        if length > limit {
            let kind = ReadErrorKind::MessageTooLong { length, limit };
            return Err(NetworkReader::new(payload).error(kind));
        }
        let AddPlayer { number, payload } = AddPlayer::decode(payload)?;
        if self.allows_request(connection) {
            self.context.events.push_minor(ServerEvent::AddPlayer {
                connection,
                number: number.cast_signed(),
                payload: Payload::from(payload),
            });
        }
        Ok(())
    }

    /// Forgets the number of a player, and reports it.
    pub(crate) fn handle_remove_player(
        &mut self,
        connection: ConnectionId,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let number = RemovePlayer::decode(payload)?.number.cast_signed();
        if self.allows_request(connection) {
            let object = self.player(connection, number);
            if let Some(known) = self.sessions.connections.get_mut(connection.0) {
                known.players.retain(|(taken, _)| *taken != number);
            }
            self.context.events.push_minor(ServerEvent::RemovePlayer {
                connection,
                number,
                object,
            });
        }
        Ok(())
    }

    /// Counts a request. Returns whether it is within the rate of messages.
    pub(crate) fn allows_request(&mut self, from: ConnectionId) -> bool {
        let (rate, now) = (
            self.context.config.limits.program_message_rate,
            self.context.clock.now(),
        );
        let key = (TypeId::of::<Requests>(), 0);
        let connection = self.sessions.connections.get_mut(from.0);
        let allowed = connection.is_some_and(|known| known.rates.allow(key, rate, now));
        if !allowed {
            self.context.stats.refused.program_messages += 1;
            self.sessions.intake.count(Misbehaviour::Ignored);
        }
        allowed
    }
}
