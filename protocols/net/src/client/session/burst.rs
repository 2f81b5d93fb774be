//! Bursts: all objects that this client may see, between `SpawnFinished` 0 and 1.

use crate::client::objects::{Fact, Stage};
use crate::client::{ClientEvent, NetworkClient};
use syncvar_runtime::NetId;
use syncvar_runtime::world::Departure;

/// Report that a complete burst leads to.
#[derive(Clone, Copy)]
enum BurstReport {
    Spawned(NetId),
    OwnerChanged { object: NetId, owned: bool },
}

impl NetworkClient {
    /// Begins a burst. The server sends all objects and all ownership again.
    pub(crate) fn begin_burst(&mut self) {
        self.session.joining = true;
        if let (Some(arrivals), Some(tick)) = (&mut self.arrivals, self.inbound.packet.tick) {
            arrivals.end_forged_ticks(tick);
        }
        self.forget_missed();
        for replica in self.objects.world.objects.values_mut() {
            replica.set(Fact::Refreshed, false);
            replica.set(Fact::OwnedBeforeBurst, replica.is(Fact::Owned));
            replica.set(Fact::Owned, false);
        }
    }

    /// Ends a burst: removes the objects that it did not contain, and announces the new ones. Their
    /// references resolve, because all objects are here.
    pub(crate) fn end_burst(&mut self) {
        if !std::mem::take(&mut self.session.joining) {
            return;
        }
        let session = self.session.number;
        for id in self
            .objects
            .world
            .ids(|replica| !replica.is(Fact::Refreshed))
        {
            self.forget(id, Departure::Hidden);
        }
        let resolved = self.take_resolved();
        if self.context.config.max_events > 0 {
            let count = self
                .objects
                .world
                .objects
                .len()
                .saturating_add(resolved.len());
            self.context.events.reserve(count);
        }
        for report in self.burst_reports() {
            match report {
                BurstReport::Spawned(object) => self.announce(object),
                BurstReport::OwnerChanged { object, owned } => self.report_ownership(object, owned),
            }
        }
        // Every step runs callbacks, which may end the connection or begin another one.
        if self.session.is_current(session) {
            self.report_parents();
        }
        if self.session.is_current(session) {
            self.report_scene_objects_spawned();
        }
        if self.session.is_current(session) {
            self.report_resolved(resolved);
        }
        if self.session.is_current(session)
            && !std::mem::replace(&mut self.session.synchronized, true)
        {
            self.call_session_synchronized();
        }
        if self.session.is_current(session) {
            self.release_all();
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

    /// Lists the reports after a burst by ascending id, and makes all new objects visible.
    fn burst_reports(&mut self) -> Vec<BurstReport> {
        let mut reports = Vec::new();
        // Without a loop: a nested iterator checks each level for each object.
        self.objects
            .world
            .objects
            .iter_mut()
            .for_each(|(number, replica)| {
                let object = NetId(number);
                let owned = replica.is(Fact::Owned);
                if replica.is_visible() && owned != replica.is(Fact::OwnedBeforeBurst) {
                    reports.push(BurstReport::OwnerChanged { object, owned });
                }
                if !replica.is_visible() && !replica.is_poisoned() {
                    replica.stage = Stage::Visible;
                    reports.push(BurstReport::Spawned(object));
                }
            });
        reports
    }
}
