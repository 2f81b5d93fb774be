//! Server, client and siblings of a detached context.

use std::time::Duration;

use super::{NetworkSide, Siblings};
use crate::behaviour::{AnyBehaviour, NetworkIdentity};
use crate::relations::{Place, Relation};
use crate::{ConnectionId, NetId};

/// Server and client of a [detached](super::NetworkContext::detached) context.
pub(super) struct Detached;

/// Siblings of a behaviour outside of its object.
pub(crate) struct WithoutSiblings;

impl NetworkSide for Detached {
    fn is_server(&self) -> bool {
        false
    }

    fn now(&self) -> Duration {
        Duration::ZERO
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

impl Siblings for WithoutSiblings {
    fn len(&self) -> usize {
        0
    }

    fn behaviour(&self, _: usize) -> Option<&dyn AnyBehaviour> {
        None
    }

    fn behaviour_mut(&mut self, _: usize) -> Option<&mut dyn AnyBehaviour> {
        None
    }
}
