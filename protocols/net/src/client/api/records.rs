//! Tick records in place of a server's packets.

use std::sync::Arc;

use syncvar_runtime::DisconnectReason;
use syncvar_runtime::schema::{Schema, SchemaReport};
use syncvar_runtime::unstable::translate::resolve::Traffic;

use crate::client::translation::Translation;
use crate::client::{NetworkClient, Outbound};
use crate::record::Step;
use crate::{RecordError, TickRecord};

impl NetworkClient {
    /// Plays a tick record: applies its messages as those of a server, with hooks, calls and
    /// [events](crate::ClientEvent), and reports its tick ([`tick`](Self::tick),
    /// [`ClientEvent::Tick`](crate::ClientEvent::Tick)).
    ///
    /// The first record of a client without a connection is a keyframe. Records follow in the order of their
    /// [numbers](TickRecord::seq). A record that the client has had is skipped, without an error. A keyframe with
    /// a higher number updates the objects; one with a lower number begins the playback again, so that a
    /// program can jump in both directions.
    ///
    /// A record behind a missing one is kept, and played directly behind it: [`RecordError::Missing`] has the numbers for
    /// which the program asks the source. The client keeps up to
    /// [`max_early_messages`](crate::ClientConfig::max_early_messages) records of
    /// [`max_early_bytes`](crate::ClientConfig::max_early_bytes) in all, those with the lowest numbers.
    ///
    /// The client counts as [connected](Self::is_connected) from the first keyframe to
    /// [`disconnect`](Self::disconnect), [`handle_disconnect`](Self::handle_disconnect) or
    /// [`handle_connect`](Self::handle_connect). It sends nothing meanwhile: commands are errors,
    /// [`network_time`](Self::network_time) is unknown ([`TickRecord::time`] is known), and an object that could not be read
    /// or made waits for the next keyframe.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    /// use syncvar::records::RecordError;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// server.start_recording();
    /// for tick in 1..=4 {
    ///     server.update(tick * Duration::from_millis(100));
    /// }
    /// let mut client = NetworkClient::new(Prefabs::new());
    /// let keyframe = server.keyframe().unwrap();
    /// let records: Vec<_> = server.records_after(keyframe.seq()).collect();
    /// assert_eq!(client.handle_record(records[0]), Err(RecordError::NeedsKeyframe));
    /// client.handle_record(keyframe)?;
    /// client.handle_record(records[0])?;
    /// let missing = RecordError::Missing { expected: 3, found: 4 };
    /// assert_eq!(client.handle_record(records[2]), Err(missing)); // it is kept
    /// client.handle_record(records[1])?; // plays both
    /// assert_eq!(client.tick(), Some(server.network_time().tick));
    /// # Ok::<(), RecordError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// For a connected client, a record of a different schema or out of order, and for the first malformed
    /// message, also of a kept record. A record of a different [origin](TickRecord::origin) without its keyframe also
    /// ends the playback, with [`ClientEvent::Disconnected`](crate::ClientEvent::Disconnected), and removes all objects.
    pub fn handle_record(&mut self, record: &TickRecord) -> Result<(), RecordError> {
        self.play_record(record, false)
    }

    /// Plays tick records as one step of a jump, such as a keyframe and the records behind it. The objects get the state behind the
    /// last record, and nothing between shows: no hook, no call and no message of the program runs, and an object that is in
    /// the view before and after the jump stays. Then objects that have left are despawned, and new objects are spawned, with
    /// their callbacks and events; objects of a keyframe are [`ClientEvent::Restored`](crate::ClientEvent::Restored).
    ///
    /// A jump to an earlier keyframe begins the playback again, as in [`handle_record`](Self::handle_record).
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Car {
    ///     #[sync_var(hook = on_lap_changed)]
    ///     lap: SyncVar<u32>,
    ///     cheers: u32,
    /// }
    /// impl Car {
    ///     fn on_lap_changed(&mut self, _previous: u32) {
    ///         self.cheers += 1;
    ///     }
    /// }
    /// let prefabs = || Prefabs::new().register::<Car>("car");
    /// let mut server = NetworkServer::new(prefabs());
    /// let car = server.spawn(Car::default());
    /// server.start_recording();
    /// for second in 1..=9 {
    ///     server.get_mut::<Car>(car).unwrap().lap.set(second);
    ///     server.update(Duration::from_secs(second.into()));
    /// }
    /// let mut client = NetworkClient::new(prefabs());
    /// client.seek_records(server.records_after(0).cloned())?;
    /// let car = client.get::<Car>(car).unwrap();
    /// assert_eq!((*car.lap, car.cheers), (9, 0));
    /// # Ok::<(), syncvar::records::RecordError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`handle_record`](Self::handle_record), for the first record with an error. The objects have the state before it.
    pub fn seek_records(
        &mut self,
        records: impl IntoIterator<Item = TickRecord>,
    ) -> Result<(), RecordError> {
        let mut records = records.into_iter();
        let result = records.try_for_each(|record| self.play_record(&record, true));
        if self.session.burst.is_jump {
            let number = self.session.number;
            self.end_burst();
            if self.session.is_current(number) {
                self.session.burst.is_jump = false;
            }
            if let Some(arrivals) = &mut self.arrivals {
                arrivals.motion.jump();
            }
        }
        result
    }

    fn play_record(&mut self, record: &TickRecord, jumps: bool) -> Result<(), RecordError> {
        let own = self.prefabs().schema_hash();
        self.session.check_record(record, own)?;
        self.inbound.work.reset();
        let (mut kept, mut session) = (None, None);
        loop {
            let record = kept.as_ref().unwrap_or(record);
            let step = self.session.step(record, &self.context.config)?;
            match step {
                Step::Skip | Step::Continue => {}
                // The state of a connection, without objects.
                Step::Begin(origin) => {
                    self.session.number += 1;
                    self.session.ticket.lost = None;
                    self.session.carrier.datagrams = false;
                    self.reset_session();
                    self.outbound = Outbound::new(self.context.config.packet_size);
                    self.arrivals = None;
                    self.session.begin_playback(origin);
                    self.enter_session(false);
                }
                Step::Foreign => {
                    if self.session.playback.is_some() {
                        self.end_session(DisconnectReason::ConnectionLost);
                        self.forget_objects();
                    }
                    return Err(RecordError::NeedsKeyframe);
                }
            }
            if jumps && step != Step::Skip && !self.session.burst.is_jump {
                (self.session.burst.is_jump, self.session.burst.in_progress) = (true, true);
                self.objects.begin_jump();
            }
            let (number, mut result) = (self.session.number, Ok(()));
            for (channel, packet) in self.session.play(record, step) {
                // A callback may have ended the playback.
                if !self.session.is_current(number) {
                    break;
                }
                result = result.and(self.handle_packet(channel, &packet));
            }
            result?;
            let session = *session.get_or_insert(self.session.number);
            kept = self.session.next_record(session);
            if kept.is_none() {
                return Ok(());
            }
        }
    }

    /// Prepares the client for the records of a server of a different build: from the next keyframe of that schema on,
    /// their state, calls and messages are translated, as those of a connection. Returns the number of differences, which
    /// [`resolution`](Self::resolution) lists.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// #[network_behaviour(was = "Gate")]
    /// struct Door {
    ///     #[sync_var(was = "lifted")]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// mod old {
    ///     use syncvar::prelude::*;
    ///
    ///     #[derive(NetworkBehaviour, Default)]
    ///     pub struct Gate {
    ///         #[sync_var]
    ///         pub lifted: SyncVar<bool>,
    ///     }
    /// }
    ///
    /// let old = Prefabs::new().register::<old::Gate>("door");
    /// let schema = old.schema();
    /// let mut server = NetworkServer::new(old);
    /// server.start_recording();
    /// let door = server.spawn(old::Gate { lifted: true.into() });
    /// server.update(Duration::from_millis(100));
    ///
    /// let mut client = NetworkClient::new(Prefabs::new().register::<Door>("door"));
    /// client.resolve_records(&schema)?;
    /// client.handle_record(server.keyframe().unwrap())?;
    /// assert_eq!(client.get::<Door>(door).unwrap().open, true);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// With every reason why this build cannot read the records.
    pub fn resolve_records(&mut self, server: &Schema) -> Result<usize, SchemaReport> {
        let prefabs = &self.objects.world.prefabs;
        self.session.build.translation = None;
        if server.hash() != prefabs.schema_hash() {
            let resolved = Translation::new(server, prefabs, Traffic::Recording);
            let resolved = resolved.map_err(|changes| {
                let refused = changes.iter().filter(|change| change.is_refused());
                SchemaReport::of_changes(refused)
            });
            self.session.build.translation = Some(Arc::new(resolved?));
        }
        Ok(self.resolution().len())
    }
}
