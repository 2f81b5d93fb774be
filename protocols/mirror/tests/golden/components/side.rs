//! An end for a component that nothing else is around.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar_runtime::NetworkIdentity;
use syncvar_runtime::behaviour::{AnyBehaviour, MessageTime, NetworkSide, Siblings, SyncSettings};
use syncvar_runtime::unstable::relations::{Place, Relation};

/// A client that reads a message.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) time: MessageTime,
    settings: SyncSettings,
}

/// No other behaviours.
pub(crate) struct Alone;

impl Side {
    pub(crate) fn client(time: MessageTime, settings: SyncSettings) -> Self {
        Self { time, settings }
    }
}

impl NetworkSide for Side {
    fn is_server(&self) -> bool {
        false
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn message_time(&self) -> Option<MessageTime> {
        Some(self.time)
    }

    fn sync_settings(&self, _: NetId, _: usize) -> Option<SyncSettings> {
        Some(self.settings)
    }

    fn identity(&self, _: NetId) -> Option<NetworkIdentity<'_>> {
        None
    }

    fn prefab_name(&self, _: NetId) -> Option<&str> {
        None
    }

    fn place(&self, _: NetId) -> Place {
        Place::default()
    }

    fn owner(&self, _: NetId) -> Option<ConnectionId> {
        None
    }

    fn is_owner(&self, _: NetId) -> bool {
        false
    }

    fn relation(&self, _: NetId) -> Relation {
        Relation::default()
    }
}

impl Siblings for Alone {
    fn len(&self) -> usize {
        1
    }

    fn behaviour(&self, _: usize) -> Option<&dyn AnyBehaviour> {
        None
    }

    fn behaviour_mut(&mut self, _: usize) -> Option<&mut dyn AnyBehaviour> {
        None
    }
}
