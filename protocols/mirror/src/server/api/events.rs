//! Events of the server.

use syncvar_runtime::events::EventReader;
use syncvar_runtime::{Changed, NetworkBehaviour};

use crate::server::{MirrorServer, MirrorServerEvent};

impl MirrorServer {
    /// Returns the oldest event: for a program with a single consumer.
    pub fn poll_event(&mut self) -> Option<MirrorServerEvent> {
        self.context.events.pop()
    }

    /// Creates a reader of the events, for a program with several consumers: see [`EventReader`].
    pub fn event_reader(&mut self) -> EventReader {
        self.context.events.reader()
    }

    /// Returns the events that a reader has not read, oldest first.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end created the reader.
    pub fn read_events<'a>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = &'a MirrorServerEvent> {
        self.context.events.read(reader)
    }

    /// Returns the fields of a behaviour type that owners have written, in the events that a reader has not read. Reads the remaining events too.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end created the reader.
    pub fn changes_of<'a, B: NetworkBehaviour>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = Changed<B>> {
        self.read_events(reader)
            .filter_map(MirrorServerEvent::changed::<B>)
    }

    /// Returns the number of events so far, polled or not.
    pub fn event_count(&self) -> u64 {
        self.context.events.total()
    }

    /// Drops the unpolled events among the first `count`. A transport calls this for events that
    /// the game ignores, so that no client can pile them up.
    pub fn forget_events(&mut self, count: u64) {
        self.context.events.forget(count);
    }

    /// Returns the number of events dropped unpolled because the queue was full; the oldest go
    /// first.
    pub fn missed_events(&self) -> u64 {
        self.context.events.missed()
    }
}
