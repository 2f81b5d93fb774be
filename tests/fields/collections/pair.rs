//! A collection of a server and its replica, without a network.

use syncvar::{fields::HookField, wire::Encoding};

use crate::collections::model::full;
use crate::collections::{delta, read};

pub(crate) struct Pair<C> {
    pub(crate) server: C,
    pub(crate) client: C,
    dialect: Encoding,
}

impl<C: HookField + Default> Pair<C> {
    /// Runs a test in both dialects, with a replica that has been given the full state.
    pub(crate) fn each(server: impl Fn() -> C, test: impl Fn(&mut Self)) {
        for dialect in [Encoding::Unet, Encoding::Compact] {
            let mut pair = Self {
                server: server(),
                client: C::default(),
                dialect,
            };
            pair.send_whole();
            test(&mut pair);
        }
    }

    /// Sends the full state; no hook is told of it.
    pub(crate) fn send_whole(&mut self) {
        let bytes = full(&self.server, self.dialect);
        read(&bytes, self.dialect, |reader| self.client.read_full(reader)).unwrap();
        self.server.clear_dirty();
    }

    /// Sends what has changed, if anything has; returns what a hook is told.
    pub(crate) fn sync<T>(&mut self) -> Vec<T>
    where
        C: HookField<Previous = Vec<T>>,
    {
        if !self.server.is_dirty() {
            return Vec::new();
        }
        let bytes = delta(&self.server, self.dialect);
        self.server.clear_dirty();
        let told = read(&bytes, self.dialect, |reader| {
            self.client.read_delta_with_previous(reader)
        });
        assert!(!self.client.is_dirty(), "what was received is no change");
        told.unwrap().unwrap_or_default()
    }
}
