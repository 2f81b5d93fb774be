//! Commands of clients, checked against the connection that sent them.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions
)]

use syncvar_runtime::call::{CallPlace, Failure};
use syncvar_runtime::{CommandRefusal, ConnectionId, Encoding, NetworkReader};

use crate::MirrorError;
use crate::message::{CommandMessage, NetworkMessage};
use crate::server::stats::one_more;
use crate::server::{MirrorServer, MirrorServerEvent};

impl MirrorServer {
    /// Runs a command of a client, or reports its refusal. Only malformed arguments are an error,
    /// as in Mirror.
    pub(in crate::server) fn handle_command(
        &mut self,
        from: ConnectionId,
        command: &CommandMessage<'_>,
    ) -> Result<(), MirrorError> {
        let place = self.find_command(from, command);
        let refusal = match &place {
            Ok(place) => match self.allow_command(from, place, command) {
                Ok(()) => return self.run_command(from, place, command),
                Err(refusal) => refusal,
            },
            Err(refusal) => refusal.clone(),
        };
        self.refuse_command(from, command, place.ok().as_ref(), refusal);
        Ok(())
    }

    fn refuse_command(
        &mut self,
        connection: ConnectionId,
        command: &CommandMessage<'_>,
        place: Option<&CallPlace>,
        reason: CommandRefusal,
    ) {
        self.stats.refused_commands.count(&reason);
        self.sessions.intake.count((&reason).into());
        let (object, name) = (command.net_id, place.map(|place| place.schema.name));
        tracing::debug!(connection = connection.0, %object, command = name, %reason, "refused a command");
        self.events.push_minor(MirrorServerEvent::CommandRefused {
            connection,
            object: command.net_id,
            command: place.map(|place| (place.name, place.schema.name)),
            reason,
        });
    }

    fn find_command(
        &self,
        from: ConnectionId,
        command: &CommandMessage<'_>,
    ) -> Result<CallPlace, CommandRefusal> {
        if !self.is_ready(from) {
            return Err(CommandRefusal::NotReady);
        }
        let entry = self.entry(command.net_id);
        let entry = entry.ok_or(CommandRefusal::UnknownObject)?;
        let (component, hash) = (command.component_index, command.function_hash);
        if usize::from(component) >= entry.components.len() {
            return Err(CommandRefusal::UnknownComponent(component));
        }
        let place = entry.call(component, hash);
        let place = place.filter(CallPlace::is_command);
        place.ok_or(CommandRefusal::UnknownHash(hash))
    }

    fn allow_command(
        &mut self,
        from: ConnectionId,
        place: &CallPlace,
        command: &CommandMessage<'_>,
    ) -> Result<(), CommandRefusal> {
        if place.schema.requires_ownership && self.owner(command.net_id) != Some(from) {
            return Err(CommandRefusal::NotOwner);
        }
        let rate = place.schema.rate.unwrap_or(self.config.limits.command_rate);
        let now = self.clock.now();
        let client = self.sessions.get_mut(from);
        if !client.is_some_and(|client| client.rates.allow(place.declared, rate, now)) {
            return Err(CommandRefusal::TooOften);
        }
        Ok(())
    }

    fn run_command(
        &mut self,
        from: ConnectionId,
        place: &CallPlace,
        command: &CommandMessage<'_>,
    ) -> Result<(), MirrorError> {
        let arguments = command.payload.unwrap_or_default();
        let mut arguments = NetworkReader::with_encoding(arguments, Encoding::Mirror)
            .with_budget(self.sessions.intake.budget);
        one_more(&mut self.stats.commands);
        let object = command.net_id;
        tracing::trace!(connection = from.0, %object, command = place.schema.name, "runs a command");
        let ran = self.run_reported_call(command.net_id, place, Some(from), &mut arguments);
        self.sessions.intake.budget = arguments.budget();
        match ran {
            None => {
                self.refuse_command(from, command, Some(place), CommandRefusal::UnknownObject);
                Ok(())
            }
            Some(Err(Failure::Malformed(error))) => Err(MirrorError::Message {
                message: CommandMessage::NAME,
                error,
            }),
            // The panic is reported already.
            Some(Ok(()) | Err(Failure::Panicked(_))) => Ok(()),
        }
    }
}
