//! Rewinding.

use syncvar_runtime::{ConnectionId, NetId};

use crate::message::{VIEW_PARTS, View as ViewMessage};
use crate::server::sessions::incoming::Origin;
use crate::server::{NetworkServer, Past};

impl NetworkServer {
    /// Looks at the world as a client showed it when it sent the command or message that it has sent last, or made the
    /// [input](Self::input) that the program has taken last:
    /// the fields with `#[sync_var(history = ...)]`, interpolated as on the client. Costs time in proportion to the
    /// objects that are looked at.
    ///
    /// The client sends the time with each command. The server limits it by its own measures to what the connection can
    /// show: the round trip, the delay of the view, the repetition of a lost packet, and
    /// [`ServerConfig::max_rewind`](crate::ServerConfig::max_rewind); [`Past::clamped`] tells the rest. A client whose prefabs
    /// have no history sends no time; then the server estimates it from the round trip and the send interval. The time of a
    /// local client is the present.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// #[network_behaviour(send_interval = 0)]
    /// struct Player {
    ///     #[sync_var(interpolate = linear, history = 0.5)]
    ///     position: SyncVar<Vector3>,
    ///     #[sync_var]
    ///     hits: SyncVar<u32>,
    /// }
    ///
    /// #[network_calls]
    /// impl Player {
    ///     #[command]
    ///     fn shoot(&mut self, ctx: &mut CallContext<'_>, target: NetId, at: Vector3) {
    ///         let Some(sender) = ctx.sender() else { return };
    ///         let seen = ctx.expect_server().rewind(sender, |past| past.view::<Player>(target)?.get(Player::POSITION));
    ///         if seen.is_some_and(|seen| (seen.x - at.x).abs() < 0.5) {
    ///             self.hits += 1;
    ///         }
    ///     }
    /// }
    /// ```
    pub fn rewind<R>(&self, connection: ConnectionId, look: impl FnOnce(&Past<'_>) -> R) -> R {
        look(&Past::new(self, connection))
    }

    /// Takes the view that the next command or inputs of a connection refer to.
    pub(crate) fn handle_view(&mut self, from: ConnectionId, message: &ViewMessage) {
        #[expect(clippy::cast_precision_loss, reason = "clamped where it is used")]
        let tick = message.time as f64 / VIEW_PARTS;
        let is_on_stream = matches!(self.sessions.origin, Origin::Stream { .. });
        let (config, present) = (&self.context.config, self.outbound.store.tick);
        if let Some(known) = self.sessions.connections.get_mut(from.0) {
            let objects = &self.objects;
            let claim = self
                .rewind
                .claim(tick, known, is_on_stream, objects, config, present);
            known.motion.view = Some(claim);
        }
    }

    /// Keeps the histories of an object that is about to be despawned.
    pub(crate) fn keep_history(&mut self, id: NetId) {
        let (audiences, config) = (&self.visibility.audiences, &self.context.config);
        let tick = self.outbound.store.tick;
        self.rewind
            .keep_history(id, &mut self.objects, audiences, config, tick);
    }
}
