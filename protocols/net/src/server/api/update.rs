//! The update: the rooms act in their order.
//!
//! ```text
//!              sessions    silent, late and absent connections end; datagrams decide their losses
//!              calls       calls of the program on the server itself
//!              visibility  areas, hooks of a host, requested snapshots, hides
//!   frame ┌    replication deltas of due objects, once for each audience and framing
//!         │    datagrams   lost fields are written again with this frame, or join a backlog
//!         │    replication backlogs: what a budget admits
//!         │    visibility  the buffers of the audiences become chunks in the queues
//!         └    datagrams   the former frame, once more, for redundant behaviours
//!              visibility  shows, spawns, parents, the scene, joins
//!              calls       calls behind the state
//!              host        view of the local client
//!              datagrams   chunks become datagrams
//!              recording   the record of the update
//!              saving      the record of a journal
//! ```
//!
//! The order makes every change reach each client once. Hides come first: no later change reaches a connection that leaves
//! a view. Deltas come before snapshots: an entering connection is no observer yet while deltas are written, and the
//! snapshot has the values of these deltas. Losses are judged behind the deltas, because a field in the new frame needs no
//! repair. Backlogs follow the repairs, so that a connection with losses and a budget pays for both from the budget. Calls
//! follow the state that the program saw when it called.
//!
//! The first update of a tick opens the frame of the tick. A second update in the same tick opens none, because the packets
//! of the tick are numbered already: state on unreliable channels waits for the next tick, and everything on reliable
//! channels is sent. Snapshots of objects with such state wait as well, and so does a join: a snapshot has all values, and the
//! frame would bring them once more.

use std::time::Duration;

use syncvar_runtime::DisconnectReason;

use crate::server::api::rooms::Rooms;
use crate::server::saving::journal::{advance_save, write_record};
use crate::server::{NetworkServer, ServerEvent};

impl NetworkServer {
    /// Encodes all changes and prepares the packets of every client, in the order documented at the
    /// type. `now` is the time since a fixed moment. If it goes back, as after a clock restart, the
    /// server's own time stands still for this update and continues from there. The same holds for a
    /// leap of more than 100 years ([`ServerEvent::ClockLeap`]).
    ///
    /// A behaviour is sent when it is dirty and its send interval has passed since it was last
    /// sent, or since time zero. With datagrams, an update before a poll of the last update's packets belongs to the same tick:
    /// state on unreliable channels waits for the next update.
    ///
    /// A transport that updates the end by its own clock (`TcpServer`, `TcpClient`, `MirrorHost`,
    /// `MirrorPeer`) disables this call: it does nothing then, with one warning. A program that calls it
    /// at another rate than [`tick_rate`](crate::ServerConfig::tick_rate) is warned once.
    pub fn update(&mut self, now: Duration) {
        if self.context.clock.admits_program() {
            self.advance(now);
            self.context.clock.watch_pace(self.context.config.tick_rate);
        }
    }

    /// Runs an update by the owner of the clock.
    pub(crate) fn advance(&mut self, now: Duration) {
        self.context.clock.advance(now);
        let span = tracing::trace_span!("update", tick = self.network_time().tick);
        let former = (!span.is_disabled()).then(|| self.context.stats.written());
        let _entered = span.enter();
        self.begin_update();
        let joins = !self.sessions.pending.joining.is_empty();
        self.handle_requests();
        // The followed server has kept the send intervals.
        let has_frame = self.send_deltas(joins || self.objects.following.is_some());
        let joins = joins && (has_frame || !self.objects.await_frame(&self.context.config));
        self.send_snapshots(joins, has_frame);
        self.end_update(has_frame);
        if let Some(former) = former {
            self.context.stats.written().trace_since(&former);
        }
    }

    /// Begins the tick. Ends the connections that are late, absent or silent.
    fn begin_update(&mut self) {
        if let Some(step) = self.context.clock.take_leap() {
            self.context.events.push(ServerEvent::ClockLeap { step });
        }
        for connection in self.rooms().ground.begin_tick() {
            let reason = "the ticks of the server begin again".into();
            self.send_off(connection, DisconnectReason::Requested(reason));
        }
        self.context.events.release();
        if let Some(host) = &mut self.host {
            host.events.release();
        }
        self.sessions.intake.next_update();
        self.expire_connections();
        let Rooms {
            mut ground,
            datagrams,
            ..
        } = self.rooms();
        for connection in datagrams.decide_losses(&mut ground) {
            self.send_off(connection, DisconnectReason::ConnectionLost);
        }
    }

    /// Answers requests since the last update, runs the calls on the server itself, and applies view changes: objects leave
    /// views, and entering objects are queued.
    fn handle_requests(&mut self) {
        self.outbound.trim(&self.sessions.connections);
        self.rooms().ground.answer_pings();
        self.report_inputs();
        for (sender, refused) in self.calls.refusals.take() {
            self.rooms().ground.send(sender, &refused);
        }
        let (config, tick) = (&self.context.config, self.outbound.store.tick);
        self.rewind.note_update(&self.objects, config, tick);
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        visibility.correct_owners(&mut ground);
        // Calls queued since the last update.
        self.run_local_calls();
        self.deliver();
        let Rooms {
            mut ground,
            visibility,
            replication,
            ..
        } = self.rooms();
        let limiter = &mut replication.bandwidth;
        limiter.end_budgets(ground.sessions, ground.outbound, visibility);
        visibility.apply_interest(&mut ground);
        self.call_local_hooks();
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        visibility.queue_resyncs(&mut ground);
        visibility.hide_objects(&mut ground);
    }

    /// Sends the deltas of due objects (`all`: of every dirty object), repairs and backlogs. Returns whether the update has a
    /// frame: state on unreliable channels.
    fn send_deltas(&mut self, all: bool) -> bool {
        let Rooms {
            mut ground,
            visibility,
            replication,
            datagrams,
            ..
        } = self.rooms();
        // The deltas make the fields clean.
        ground.objects.note_all_flushed();
        let has_frame = ground.begin_frame();
        replication.send_deltas(&mut ground, visibility, all);
        replication.index_records(ground.outbound);
        datagrams.repair_losses(&mut ground, visibility, &mut replication.bandwidth);
        replication.bandwidth.send_backlogs(&mut ground, visibility);
        visibility.deliver_changes(&mut ground);
        datagrams.repeat_frame(&mut ground, visibility);
        ground.outbound.records.end_frame();
        has_frame
    }

    /// Sends the snapshots of objects that enter views, of new objects, and of joins.
    fn send_snapshots(&mut self, joins: bool, has_frame: bool) {
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        visibility.show_objects(&mut ground, has_frame);
        visibility.announce(&mut ground);
        visibility.send_parents(&mut ground);
        visibility.send_scene_spawned(&mut ground);
        if joins {
            visibility.join(&mut ground);
        }
    }

    /// Sends the calls behind the state, updates the local client, and completes datagrams and record.
    fn end_update(&mut self, has_frame: bool) {
        let rooms = &mut self.rooms();
        rooms
            .calls
            .send_deferred(&mut rooms.ground, rooms.visibility, has_frame);
        self.update_local();
        let Rooms {
            mut ground,
            visibility,
            datagrams,
            ..
        } = self.rooms();
        datagrams.end_tick(&mut ground);
        if ground.outbound.recorder.observer().is_some() {
            // Messages of the local client's callbacks.
            visibility.deliver(&mut ground);
            ground.finish_record();
        }
        write_record(&mut ground, visibility);
        advance_save(&mut ground, visibility);
    }
}
