//! Events of the client.

use syncvar_runtime::events::EventReader;
use syncvar_runtime::{Changed, NetworkBehaviour};

use crate::client::{MirrorClient, MirrorClientEvent};

impl MirrorClient {
    /// Returns the oldest event: for a program with a single consumer.
    pub fn poll_event(&mut self) -> Option<MirrorClientEvent> {
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
    ) -> impl Iterator<Item = &'a MirrorClientEvent> {
        self.context.events.read(reader)
    }

    /// Returns the changed fields of the behaviours of a type in the events that a reader has not read. Reads the remaining events too.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end created the reader.
    pub fn changes_of<'a, B: NetworkBehaviour>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = Changed<B>> {
        self.read_events(reader)
            .filter_map(MirrorClientEvent::changed::<B>)
    }

    /// Returns the number of events dropped unpolled because the queue was full; the oldest go
    /// first.
    pub fn missed_events(&self) -> u64 {
        self.context.events.missed()
    }
}
