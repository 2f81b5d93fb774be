//! Players: owned objects by number, as in UNet's `AddPlayer`.

use super::Session;
use crate::message::Owner;

/// Most players of a client; UNet has 32.
const MAX_PLAYERS: usize = 64;

impl Session {
    /// Takes a player of the server. Returns the number of the player, if the object exists.
    pub(crate) fn take_player(&mut self, message: &Owner, exists: bool) -> Option<i16> {
        // Sign-extended to 32 bits.
        let number = i16::try_from(message.number.cast_signed()).ok()?;
        self.players.retain(|(known, _)| *known != number);
        if !exists || self.players.len() >= MAX_PLAYERS {
            return None;
        }
        self.players.push((number, message.net_id));
        Some(number)
    }
}
