//! Commands: calls of clients on the server, checked against the connection they came from.

use syncvar_runtime::call::{CallPlace, Failure};
use syncvar_runtime::{CommandRefusal, ConnectionId, NetId, ReadError};

use crate::MessageType;
use crate::message::{Incoming, named};
use crate::server::objects::replicated::State;
use crate::server::{NetworkServer, ServerEvent};

impl NetworkServer {
    /// Runs or refuses a command. Only a command without a readable header is an error.
    pub(crate) fn handle_command(
        &mut self,
        from: ConnectionId,
        message_type: MessageType,
        payload: &[u8],
    ) -> Result<(), ReadError> {
        let mut call = Incoming::decode(message_type, payload)?;
        call.arguments = call.arguments.with_budget(self.sessions.intake.budget);
        let place = self.find_command(from, &call);
        let result = match &place {
            Ok(place) => self.run_command(from, place, &mut call),
            Err(reason) => Err(reason.clone()),
        };
        self.sessions.intake.budget = call.arguments.budget();
        if let Err(reason) = result {
            self.score_refusal(&reason);
            self.refuse_command(from, call.object, place.ok().as_ref(), reason);
        }
        self.run_local_calls();
        Ok(())
    }

    /// Counts a refused command as misbehaviour of the packet in progress.
    pub(crate) fn score_refusal(&mut self, reason: &CommandRefusal) {
        if let CommandRefusal::Malformed(error) = reason {
            self.context.stats.refused.count_read(error.kind());
        }
        self.sessions.intake.count(reason.into());
    }

    /// Reports a refused command.
    pub(crate) fn refuse_command(
        &mut self,
        connection: ConnectionId,
        object: NetId,
        place: Option<&CallPlace>,
        reason: CommandRefusal,
    ) {
        self.context.stats.refused_commands.count(&reason);
        let command = place.map(|place| place.schema.name);
        tracing::debug!(connection = connection.0, %object, command, %reason, "refused a command");
        self.context.events.push_minor(ServerEvent::CommandRefused {
            connection,
            object,
            command: place.map(|place| (place.name, place.schema.name)),
            reason,
        });
    }

    pub(crate) fn find_command(
        &self,
        from: ConnectionId,
        call: &Incoming<'_>,
    ) -> Result<CallPlace, CommandRefusal> {
        let replicated = self.objects.world.objects.get(call.object.0);
        let seen = replicated.filter(|replicated| {
            let observed = || {
                self.visibility
                    .audiences
                    .get(replicated.audience)
                    .observes(from)
            };
            replicated.is(State::Announced) && (replicated.owner == Some(from) || observed())
        });
        let replicated = seen.ok_or(CommandRefusal::UnknownObject)?;
        let prefab = self
            .objects
            .world
            .prefabs
            .get(self.objects.world.pools.prefab(replicated.at.pool));
        let place = prefab.and_then(|prefab| named(&prefab.calls, call.name));
        let place = place.filter(CallPlace::is_command);
        place.ok_or(CommandRefusal::UnknownCall)
    }

    pub(crate) fn run_command(
        &mut self,
        from: ConnectionId,
        place: &CallPlace,
        call: &mut Incoming<'_>,
    ) -> Result<(), CommandRefusal> {
        if place.schema.requires_ownership && self.owner(call.object) != Some(from) {
            return Err(CommandRefusal::NotOwner);
        }
        let rate = place
            .schema
            .rate
            .unwrap_or(self.context.config.limits.command_rate);
        let now = self.context.clock.now();
        let connection = self.sessions.connections.get_mut(from.0);
        if !connection.is_some_and(|known| known.rates.allow(place.declared, rate, now)) {
            return Err(CommandRefusal::TooOften);
        }
        let object: NetId = call.object;
        tracing::trace!(connection = from.0, %object, command = place.schema.name, "runs a command");
        match self.run_reported(object, place, Some(from), &mut call.arguments) {
            None => Err(CommandRefusal::UnknownObject),
            Some(Err(Failure::Malformed(error))) => Err(CommandRefusal::Malformed(error)),
            // The panic is reported already.
            Some(Ok(()) | Err(Failure::Panicked(_))) => Ok(()),
        }
    }
}
