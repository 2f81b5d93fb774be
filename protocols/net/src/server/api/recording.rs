//! Recording of the server: tick records and keyframes.

use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;
use crate::server::sessions::connection::{Connection, ConnectionState};
use crate::{Framing, TickRecord};

/// Seconds for which the id of a removed object is not given again while a recording runs: servers that follow the records have
/// clients of their own.
const KEPT_IDS: u32 = 120;

impl NetworkServer {
    /// Begins to write [tick records](TickRecord). No effect while a recording runs.
    ///
    /// The next update writes the first [keyframe](Self::keyframe), and each update after it a
    /// [record](Self::record). A record contains the messages of the framing `Compact` for an observer of all
    /// objects that owns none and belongs to no group:
    ///
    /// * The interest management does not limit it. It observes each object, except after
    ///   [`hide_from_all`](Self::hide_from_all) or a spawn with
    ///   [`hidden`](crate::SpawnOptions::hidden), even if the object is shown to some connections.
    /// * Fields with `read = owner` and `read = group` are not recorded; fields with `read = others` are.
    /// * Calls to the owner, to one connection or to a set of connections are not recorded, and of the messages
    ///   of the program only those of [`send_to_ready`](Self::send_to_ready).
    ///
    /// Clients and [`connections`](Self::connections) do not see the recording. Objects without another observer
    /// are written for it, too. A server that does not record has no cost.
    ///
    /// ```
    /// use syncvar::NetworkTime;
    /// use syncvar::prelude::*;
    ///
    /// # #[derive(NetworkBehaviour, Default)]
    /// # struct Door {
    /// #     #[sync_var]
    /// #     open: SyncVar<bool>,
    /// # }
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// server.start_recording();
    /// let (mut file, mut last) = (Vec::new(), 0);
    /// for tick in 1..=30_u32 {
    ///     server.spawn(Door::default());
    ///     server.update(NetworkTime::of_tick(tick.into(), 30).time);
    ///     for record in server.records_after(last) {
    ///         let length = u32::try_from(record.as_bytes().len())?;
    ///         file.extend(length.to_le_bytes());
    ///         file.extend(record.as_bytes());
    ///         last = record.seq();
    ///     }
    /// }
    /// assert_eq!(last, 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start_recording(&mut self) {
        if self.is_recording() {
            return;
        }
        let observer = self.sessions.next_id();
        let mut connection = Connection::new(observer, self.context.config.gathered_size());
        connection.state = ConnectionState::Recording;
        connection.framing = Framing::Compact;
        // No transport polls it.
        connection.send_queue.listed = true;
        self.sessions.connections.insert(observer.0, connection);
        self.visibility.audiences.set_everywhere(Some(observer));
        let (channels, max_records) = (
            self.context.config.channels.clone(),
            self.context.config.max_records,
        );
        self.outbound
            .recorder
            .begin(observer, channels, max_records);
        let ticks = self.context.config.tick_rate.saturating_mul(KEPT_IDS);
        self.objects.ended_ids.kept_ticks = ticks;
        self.request_keyframe();
    }

    /// Ends the recording, and drops its records. No effect without a recording.
    pub fn stop_recording(&mut self) {
        let Some(observer) = self.outbound.recorder.end() else {
            return;
        };
        self.objects.ended_ids.kept_ticks = 0;
        self.sessions
            .pending
            .joining
            .retain(|joining| *joining != observer);
        let Rooms {
            mut ground,
            visibility,
            ..
        } = self.rooms();
        visibility.leave_audiences(ground.objects, observer, &[]);
        visibility.audiences.set_everywhere(None);
        visibility.cancel_snapshots(&mut ground, observer);
        self.sessions.connections.remove(observer.0);
    }

    /// Returns whether a recording runs.
    pub fn is_recording(&self) -> bool {
        self.outbound.recorder.observer().is_some()
    }

    /// Makes the next update write a [keyframe](Self::keyframe). No effect without a recording. A second update of a tick
    /// leaves the keyframe to the next tick if state on unreliable channels waits for that tick.
    ///
    /// The update costs as much as one with a joining client: it sends all pending changes, also before their
    /// send interval has passed, and writes the snapshots of all recorded objects.
    pub fn request_keyframe(&mut self) {
        self.rooms().ground.request_keyframe();
    }

    /// Returns the newest keyframe of the recording: the state after the update that
    /// [`start_recording`](Self::start_recording) or [`request_keyframe`](Self::request_keyframe) preceded.
    /// Records with a higher [number](TickRecord::seq) continue it.
    pub fn keyframe(&self) -> Option<&TickRecord> {
        self.outbound.recorder.keyframe()
    }

    /// Returns the record of a tick of [`network_time`](Self::network_time), if it is among the
    /// [last](crate::ServerConfig::max_records) records. If several updates were within the tick, it is the first one.
    ///
    /// A tick without messages has a record only if 100 ms have passed since the former record. The update of the first keyframe has none.
    pub fn record(&self, tick: u64) -> Option<&TickRecord> {
        let mut records = self.outbound.recorder.records();
        records.find(|record| record.tick() == tick && !record.is_keyframe())
    }

    /// Returns the kept records with a higher number, oldest first, and keyframes behind the records with their
    /// numbers. If the first number differs from `seq + 1`, the server has dropped the records in between.
    ///
    /// A client skips a keyframe that it does not need, so a recording may contain all of them.
    pub fn records_after(&self, seq: u64) -> impl Iterator<Item = &TickRecord> {
        let records = self.outbound.recorder.records();
        records.filter(move |record| record.seq() > seq)
    }
}
