//! Observers of an object from the next update on.

use syncvar_runtime::endpoint::Misbehaviour;
use syncvar_runtime::{AudienceId, ConnectionId, NetId, Vector3};

use crate::MessageType;
use crate::message::{Message, ObjectDestroy};
use crate::server::context::Context;
use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::{Audiences, Base};

impl Visibility {
    /// Adds a new object with its first audience.
    pub(crate) fn add_object(&mut self, id: NetId, audience: AudienceId, position: Vector3) {
        // Once for the observers, and once for those from the next update on.
        self.audiences.acquire(audience);
        self.audiences.acquire(audience);
        self.interest.management.handle_spawn(id, position);
    }

    /// Removes an object, and tells its observers. Returns whether it has observers.
    pub(crate) fn remove_object(
        &mut self,
        context: &mut Context,
        id: NetId,
        replicated: &Replicated,
    ) -> bool {
        self.pending_snapshots.remove(id);
        self.reparented.remove(id);
        self.interest.forget(id);
        self.groups.forget_object(id);
        let audiences = &mut self.audiences;
        let is_observed =
            replicated.is(State::Announced) && audiences.get(replicated.audience).has_observers();
        if is_observed {
            for segments in audiences.outputs(replicated.audience).channel(0) {
                ObjectDestroy { net_id: id }.encode(segments.begin());
                let length = segments.commit();
                context
                    .stats
                    .count_encoded(MessageType::ObjectDestroy, length);
            }
        }
        audiences.release(replicated.audience);
        audiences.release(replicated.target_audience);
        is_observed
    }

    /// Replaces the audience of an object from the next update on.
    pub(crate) fn set_target_audience(
        &mut self,
        objects: &mut Objects,
        id: NetId,
        choose: impl FnOnce(&mut Audiences, AudienceId) -> AudienceId,
    ) {
        let Some(replicated) = objects.world.objects.get_mut(id.0) else {
            return;
        };
        let target = choose(&mut self.audiences, replicated.target_audience);
        self.audiences.acquire(target);
        self.audiences.release(replicated.target_audience);
        replicated.target_audience = target;
        objects.schedule.queue_view_change(id, replicated);
        objects.note_local_change(id);
        objects.note_facts(id);
    }

    /// Shows an object to a connection, or hides the object from the connection.
    pub(crate) fn set_visible(
        &mut self,
        objects: &mut Objects,
        id: NetId,
        connection: ConnectionId,
        visible: bool,
    ) {
        let replicated = objects.world.objects.get(id.0);
        if let Some(replicated) = replicated.filter(|it| it.is(State::ByInterest))
            && self.audiences.base(replicated.target_audience) == Base::Everyone
        {
            self.interest.remember_shown(id, connection, visible);
        }
        self.set_target_audience(objects, id, |audiences, target| {
            audiences.with(target, connection, visible)
        });
    }

    /// Makes an object visible as by default for a connection.
    pub(crate) fn restore(&mut self, objects: &mut Objects, id: NetId, connection: ConnectionId) {
        self.interest.remember_shown(id, connection, false);
        self.set_target_audience(objects, id, |audiences, target| {
            audiences.restore(target, connection)
        });
    }

    /// Shows an object to an audience, independent of the interest management.
    pub(crate) fn show_to_audience(
        &mut self,
        objects: &mut Objects,
        id: NetId,
        audience: AudienceId,
    ) {
        if let Some(replicated) = objects.world.objects.get_mut(id.0) {
            replicated.set(State::ByInterest, false);
            self.interest.take_shown(id);
        }
        self.set_target_audience(objects, id, |_, _| audience);
    }

    /// Requests a snapshot of an object for connections.
    pub(crate) fn request_snapshot(
        &mut self,
        objects: &mut Objects,
        id: NetId,
        receivers: &[ConnectionId],
    ) {
        if let Some(replicated) = objects.world.objects.get_mut(id.0) {
            replicated.set(State::SnapshotPending, true);
            let pending = self.pending_snapshots.get_or_insert_with(id, Vec::new);
            for receiver in receivers {
                if !pending.contains(receiver) {
                    pending.push(*receiver);
                }
            }
        }
    }

    /// Queues a snapshot for a client that could not decode an object, if the client observes the object.
    pub(crate) fn receive_resync(&self, ground: &mut Ground<'_>, from: ConnectionId, id: NetId) {
        let replicated = ground.objects.world.objects.get(id.0);
        let announced = replicated.filter(|replicated| replicated.is(State::Announced));
        let observed = announced.is_some_and(|replicated| {
            let audience = self.audiences.get(replicated.audience);
            audience.observes(from)
        });
        if !observed {
            ground.context.stats.unknown_objects += 1;
            ground.sessions.intake.count(Misbehaviour::Ignored);
        } else if let Some(connection) = ground.sessions.connections.get_mut(from.0) {
            if connection.requests.resyncs.is_empty() {
                ground.sessions.pending.resyncing.push(from);
            }
            connection.requests.resyncs.insert(id);
        }
    }

    /// Makes a connection not ready, and removes it from the observers of all objects. Returns whether it was
    /// ready.
    pub(crate) fn stop_updates(
        &mut self,
        ground: &mut Ground<'_>,
        connection: ConnectionId,
    ) -> bool {
        let was_ready = ground.sessions.stop_updates(connection);
        if was_ready {
            // Unsent bytes of its audiences belong to the connection as well.
            self.deliver(ground);
            self.audiences.remove_ready(connection);
            self.cancel_snapshots(ground, connection);
        }
        was_ready
    }
}
