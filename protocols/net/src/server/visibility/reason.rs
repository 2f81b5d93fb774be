//! Observers of an object, and the rules that show or hide the object.

use syncvar_runtime::interest::ViewReason;
use syncvar_runtime::{ConnectionId, NetId};

use crate::server::objects::Objects;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::{Audience, Base};

impl Visibility {
    /// Returns the ready observers of an announced object, ascending.
    pub(crate) fn observers_of(
        &self,
        objects: &Objects,
        id: NetId,
    ) -> impl Iterator<Item = ConnectionId> {
        let announced = objects.announced(id);
        let audience = announced.map(|replicated| self.audiences.get(replicated.audience));
        audience.into_iter().flat_map(Audience::ready)
    }

    /// Returns the rule for a ready connection. `exception`: whether the connection is shown or hidden by name.
    pub(crate) fn view_rule(
        &self,
        id: NetId,
        replicated: &Replicated,
        connection: ConnectionId,
        exception: Option<bool>,
    ) -> ViewReason {
        match exception {
            Some(true) => return ViewReason::ShownByName,
            Some(false) => return ViewReason::HiddenByName,
            None => {}
        }
        match self.audiences.base(replicated.target_audience) {
            Base::Everyone if replicated.is(State::ByInterest) => ViewReason::Everyone,
            Base::Everyone => ViewReason::ShownToAll,
            Base::Nobody => ViewReason::HiddenFromAll,
            Base::Area(_) if replicated.owner == Some(connection) => ViewReason::Owner,
            Base::Area(area) => {
                let explained = self.interest.management.explain(id, connection);
                ViewReason::of_area(area, self.will_see(connection, area), explained)
            }
        }
    }
}
