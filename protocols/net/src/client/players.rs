//! Players: owned objects by number, as in UNet's `AddPlayer`.

use super::{ClientEvent, NetworkClient};
use crate::message::{AddPlayer, LocalClientAuthority, Owner, RemovePlayer};
use syncvar_runtime::NetId;
use syncvar_runtime::endpoint::Payload;

/// Most players of a client; UNet has 32.
const MAX_PLAYERS: usize = 64;

impl NetworkClient {
    /// Asks the server for a player with a number: UNet's `AddPlayer`. The server's program decides
    /// ([`ServerEvent::AddPlayer`](crate::ServerEvent::AddPlayer)); [`ClientEvent::Player`] reports the
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

    /// Takes the ownership of a player.
    pub(super) fn handle_player(&mut self, message: &Owner) {
        let object = message.net_id;
        // Sign-extended to 32 bits.
        let Ok(number) = i16::try_from(message.number.cast_signed()) else {
            return;
        };
        self.session.players.retain(|(known, _)| *known != number);
        if !self.objects.world.contains(object) || self.session.players.len() >= MAX_PLAYERS {
            return;
        }
        self.session.players.push((number, object));
        self.handle_authority(&LocalClientAuthority {
            net_id: object,
            authority: true,
        });
        self.context
            .events
            .push(ClientEvent::Player { number, object });
    }
}
