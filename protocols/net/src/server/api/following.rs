//! Objects of another server: tick records in place of a program.

mod playing;

use syncvar_runtime::ConnectionId;

use crate::record::{
    EarlyLimits, ItemWriter, RecordError, RecordOrigin, RecordSequence, Step, check_messages,
};
use crate::server::NetworkServer;
use crate::server::api::rooms::Rooms;
use crate::server::objects::following::Following;
use crate::server::saving::objects::ObjectWriter;
use crate::{Framing, TickRecord};
use playing::Playing;

/// Records behind a missing one that are kept.
const EARLY: EarlyLimits = EarlyLimits {
    count: 256,
    bytes: 1 << 20,
};

impl NetworkServer {
    /// Plays a tick record of another server, the *origin*. This server *follows* it: its objects are those of the records,
    /// with their ids, for its own clients, views, budgets and repairs of losses. The prefabs may come from the origin's schema
    /// ([`Prefabs::from_schema`](syncvar_runtime::Prefabs::from_schema)). The program spawns and changes nothing itself.
    ///
    /// The first record is a keyframe, for a server without objects. Its incarnation and ticks become those of this server, and
    /// its time the [time](Self::now) of this server. The next [`update`](Self::update) sends the changes in the tick of the
    /// record: a program calls it after each record, with an estimate of the time of the origin. If no record has arrived for 0.4 s,
    /// the ticks follow this time.
    ///
    /// Records follow in the order of their numbers, as in [`NetworkClient::handle_record`](crate::NetworkClient::handle_record). A
    /// keyframe with a higher number closes a gap: it sets the fields that differ, and despawns the objects that it lacks. Calls and
    /// messages of the records go to the clients with the framing `Compact`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::{ServerConfig, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let mut origin = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// let door = origin.spawn(Door { open: true.into() });
    /// origin.start_recording();
    /// origin.update(Duration::from_millis(100));
    ///
    /// let learned = Prefabs::from_schema(&origin.prefabs().schema())?;
    /// let mut relay = NetworkServer::new(learned);
    /// relay.handle_record(origin.keyframe().unwrap())?;
    /// relay.update(Duration::from_millis(100));
    /// assert_eq!(relay.value(door, "Door", "open"), Some(&true.into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// For a record of a different schema or origin, out of order, behind a missing record, and for the first unreadable message.
    /// The other messages of the record have been applied then. After an unreadable message the server needs a keyframe.
    pub fn handle_record(&mut self, record: &TickRecord) -> Result<(), RecordError> {
        self.objects.check_followed(record)?;
        for item in record.items() {
            check_messages(item.messages)?;
        }
        let mut kept = None;
        loop {
            let record = kept.as_ref().unwrap_or(record);
            // A keyframe with the number of the last record corrects unreadable objects.
            let corrects = record.is_keyframe()
                && self.lacks_records()
                && self.followed_seq() == Some(record.seq());
            let position = self.objects.following.as_mut();
            let position = position.map(|it| &mut it.sequence);
            match RecordSequence::decide(position, record, EARLY)? {
                Step::Continue => {}
                Step::Skip if corrects => {}
                Step::Skip => return Ok(()),
                Step::Begin(origin) if self.objects.is_new() => {
                    self.begin_following(record, origin);
                }
                // An earlier keyframe of the same origin is late.
                Step::Begin(origin) if self.objects.follows(&origin) => return Ok(()),
                Step::Begin(_) | Step::Foreign => return Err(RecordError::NeedsKeyframe),
            }
            let result = Playing::new(self).run(record);
            self.context.ticks.follow(record.tick());
            let Some(following) = &mut self.objects.following else {
                return result;
            };
            following.advance(record);
            following.lacks |= result.is_err();
            kept = following.sequence.next();
            result?;
            if kept.is_none() {
                return Ok(());
            }
        }
    }

    /// Names further servers of the same world, such as other relays of one origin, by addresses of the program's choice. Clients
    /// with the framing `Compact` receive them with the answer to their join request, and when they change
    /// ([`NetworkClient::alternates`](crate::NetworkClient::alternates)). Clients take 16 addresses of at most 256 bytes.
    pub fn set_alternates(&mut self, addresses: impl IntoIterator<Item = String>) {
        self.context.alternates = addresses.into_iter().collect();
        let is_receiver = |id: &ConnectionId| {
            self.is_connected(*id) && self.sessions.framing(*id) == Some(Framing::Compact)
        };
        for receiver in self.connections().filter(is_receiver).collect::<Vec<_>>() {
            self.rooms().ground.send_alternates(receiver);
        }
    }

    /// Returns the number of the last record of the origin, if this server follows one.
    pub fn followed_seq(&self) -> Option<u64> {
        let following = self.objects.following.as_ref()?;
        Some(following.sequence.seq())
    }

    /// Returns whether the objects lack changes of the origin: a record was [partial](TickRecord::is_partial), or unreadable.
    pub fn lacks_records(&self) -> bool {
        let following = self.objects.following.as_ref();
        following.is_some_and(|it| it.keyframe_head().partial)
    }

    /// Writes a keyframe of the origin that this server follows, with the state behind the last record. It takes the place of a
    /// keyframe of the origin: a reader plays the next records of the origin behind it. `None` for a server that follows no origin.
    ///
    /// Costs as much as a client that joins.
    pub fn followed_keyframe(&mut self) -> Option<TickRecord> {
        let mut head = self.objects.following.as_ref()?.keyframe_head();
        let mut writer = ObjectWriter::default();
        for id in self.objects.ids().collect::<Vec<_>>() {
            let Rooms { ground, .. } = self.rooms();
            if let Err(error) = writer.add_snapshot(ground.context, ground.objects, id) {
                tracing::warn!(object = %id, %error, "a keyframe lacks an object");
                head.partial = true;
            }
        }
        let mut items = ItemWriter::default();
        writer.drain_snapshots(&mut items);
        Some(TickRecord::new(head, &items.take()))
    }

    /// Begins with the first keyframe.
    fn begin_following(&mut self, record: &TickRecord, origin: RecordOrigin) {
        let sequence = RecordSequence::new(origin);
        let following = Following::begin(record, sequence, &self.objects.world.prefabs);
        self.objects.following = Some(Box::new(following));
        self.context.config.incarnation = origin.start.incarnation;
        self.context.ticks.restart(origin.start.first_tick);
        self.context.clock.resume(record.time());
    }
}
