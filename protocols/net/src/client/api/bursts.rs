//! The end of a burst: all objects that this client may see are here.

use syncvar_runtime::LifecycleCallback;
use syncvar_runtime::unstable::world::{CheckOut, Departure};

use crate::client::objects::ObjectChange;
use crate::client::{ClientEvent, NetworkClient};

impl NetworkClient {
    /// Ends a burst: removes the objects that it did not contain, and announces the new objects. Their
    /// references resolve, because all objects are here.
    pub(crate) fn end_burst(&mut self) {
        if !std::mem::take(&mut self.session.burst.in_progress) {
            return;
        }
        let session = self.session.number;
        let missing = self.objects.missing_in_burst();
        self.forget(&missing, Departure::Hidden);
        let resolved = self.objects.take_resolved();
        if self.context.config.max_events > 0 {
            let count = self
                .objects
                .world
                .objects
                .len()
                .saturating_add(resolved.len());
            self.context.events.reserve(count);
        }
        for change in self.objects.burst_changes() {
            match change {
                // Most changes of a join, without a further call for each object.
                ObjectChange::Spawned(object) => self.announce(object),
                change => self.report_change(change),
            }
        }
        // Every step runs callbacks, which may end the connection or begin the next.
        if self.session.is_current(session) {
            for child in std::mem::take(&mut self.inbound.reparented).iter() {
                self.report_change(ObjectChange::Parent(child));
            }
        }
        if self.session.is_current(session) {
            self.report_change(ObjectChange::SceneObjects);
        }
        if self.session.is_current(session) {
            let events = &mut self.context.events;
            self.objects.report_resolved(resolved, events);
        }
        if self.session.is_current(session)
            && !std::mem::replace(&mut self.session.burst.synchronized, true)
        {
            let objects = self.objects.with_callbacks();
            self.dispatch_all(&objects, LifecycleCallback::SessionSynchronized);
        }
        if self.session.is_current(session) {
            for object in self.inbound.early.queues.objects() {
                if self.objects.world.is_visible(object) {
                    self.release(object);
                }
            }
        }
        if self.session.is_current(session) {
            self.context.clock.server.begin();
            tracing::debug!(
                objects = self.objects.world.objects.len(),
                "received all visible objects"
            );
            self.context.events.push(ClientEvent::Ready);
        }
    }
}
