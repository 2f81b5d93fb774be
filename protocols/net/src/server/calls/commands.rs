//! Commands: calls of clients on the server, checked against the connection they came from.

use syncvar_runtime::unstable::call::CallPlace;
use syncvar_runtime::{CommandRefusal, ConnectionId, NetId};

use crate::message::{Incoming, named};
use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::objects::Objects;
use crate::server::objects::replicated::State;
use crate::server::sessions::Sessions;
use crate::server::visibility::Visibility;

/// Finds the command of a call on an object that the sender observes or owns.
pub(crate) fn find_command(
    objects: &Objects,
    visibility: &Visibility,
    from: ConnectionId,
    call: &Incoming<'_>,
) -> Result<CallPlace, CommandRefusal> {
    let replicated = objects.world.objects.get(call.object.0);
    let observed = replicated.filter(|replicated| {
        let audience = visibility.audiences.get(replicated.audience);
        replicated.is(State::Announced)
            && (replicated.owner == Some(from) || audience.observes(from))
    });
    observed.ok_or(CommandRefusal::UnknownObject)?;
    let prefab = objects.world.prefab(call.object);
    let place = prefab.and_then(|prefab| named(&prefab.calls, call.name));
    let place = place.filter(CallPlace::is_command);
    place.ok_or(CommandRefusal::UnknownCall)
}

/// Checks the ownership and the rate of a command.
pub(crate) fn permit_command(
    context: &Context,
    objects: &Objects,
    sessions: &mut Sessions,
    from: ConnectionId,
    object: NetId,
    place: &CallPlace,
) -> Result<(), CommandRefusal> {
    if place.schema.requires_ownership && objects.owner(object) != Some(from) {
        return Err(CommandRefusal::NotOwner);
    }
    let rate = place.schema.rate;
    let rate = rate.unwrap_or(context.config.limits.command_rate);
    let now = context.clock.now();
    let connection = sessions.connections.get_mut(from.0);
    if connection.is_some_and(|known| known.intake.rates.allow(place.declared, rate, now)) {
        Ok(())
    } else {
        Err(CommandRefusal::TooOften)
    }
}

/// Reports a refused command.
pub(crate) fn refuse_command(
    context: &mut Context,
    connection: ConnectionId,
    object: NetId,
    place: Option<&CallPlace>,
    reason: CommandRefusal,
) {
    context.stats.refused_commands.count(&reason);
    let command = place.map(|place| place.schema.name);
    tracing::debug!(connection = connection.0, %object, command, %reason, "refused a command");
    context.events.push_minor(ServerEvent::CommandRefused {
        connection,
        object,
        command: place.map(|place| (place.name, place.schema.name)),
        reason,
    });
}
