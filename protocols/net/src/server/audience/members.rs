//! Who belongs to an audience once they are ready.

use std::collections::BTreeSet;

use super::{Area, Base, ConnectionId};

/// Who belongs to an audience once they are ready. Equal sets that come about in different ways are
/// equal values: a connection is shown or hidden only where the base does not say so already. (With
/// an area it may: what an area says changes.)
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Members {
    base: Base,
    /// A connection that belongs to an audience of an area even if it does not see the area.
    owner: Option<ConnectionId>,
    /// These belong to it in any case.
    shown: BTreeSet<ConnectionId>,
    /// These do not belong to it in any case.
    hidden: BTreeSet<ConnectionId>,
}

/// What is said about a connection whatever the base says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// It belongs.
    Shown,
    /// It does not.
    Hidden,
}

impl View {
    pub(super) fn new(visible: bool) -> Self {
        if visible { Self::Shown } else { Self::Hidden }
    }
}

impl Members {
    pub(super) fn new(base: Base) -> Self {
        Self {
            base,
            owner: None,
            shown: BTreeSet::new(),
            hidden: BTreeSet::new(),
        }
    }

    pub(super) fn base(&self) -> Base {
        self.base
    }

    /// Whether a connection belongs; `sees` tells whether it sees an area.
    pub(super) fn contain(
        &self,
        connection: ConnectionId,
        sees: impl FnOnce(Area) -> bool,
    ) -> bool {
        if self.hidden.contains(&connection) {
            return false;
        }
        match self.base {
            Base::Everyone => true,
            _ if self.owner == Some(connection) || self.shown.contains(&connection) => true,
            Base::Nobody => false,
            Base::Area(area) => sees(area),
        }
    }

    /// Whether a connection is the owner, shown or hidden. If so, it does not matter for it what
    /// areas it sees.
    pub(super) fn name(&self, connection: ConnectionId) -> bool {
        self.owner == Some(connection) || self.view(connection).is_some()
    }

    /// Those who are the owner, shown or hidden, possibly twice.
    pub(super) fn named(&self) -> impl Iterator<Item = ConnectionId> {
        let views = self.shown.iter().chain(&self.hidden);
        self.owner.into_iter().chain(views.copied())
    }

    fn view(&self, connection: ConnectionId) -> Option<View> {
        if self.hidden.contains(&connection) {
            Some(View::Hidden)
        } else {
            self.shown.contains(&connection).then_some(View::Shown)
        }
    }

    /// Of what is to be said about a connection, that which the base does not say already.
    fn needed(&self, view: Option<View>) -> Option<View> {
        match (self.base, view) {
            (Base::Everyone, Some(View::Shown)) | (Base::Nobody, Some(View::Hidden)) => None,
            _ => view,
        }
    }

    /// Whether [`set_view`](Self::set_view) would change anything.
    pub(super) fn would_change(&self, connection: ConnectionId, view: Option<View>) -> bool {
        self.needed(view) != self.view(connection)
    }

    /// Says something else about a connection, or nothing any more.
    pub(super) fn set_view(&mut self, connection: ConnectionId, view: Option<View>) {
        self.shown.remove(&connection);
        self.hidden.remove(&connection);
        match self.needed(view) {
            Some(View::Shown) => self.shown.insert(connection),
            Some(View::Hidden) => self.hidden.insert(connection),
            None => false,
        };
    }

    /// Whether base and owner are these.
    pub(super) fn are_based(&self, base: Base, owner: Option<ConnectionId>) -> bool {
        (self.base, self.owner) == (base, Self::needed_owner(base, owner))
    }

    /// The same with another base and owner, and with others who are shown. What the new base says in
    /// any case is not kept.
    pub(super) fn rebased(
        &self,
        base: Base,
        owner: Option<ConnectionId>,
        shown: &[ConnectionId],
    ) -> Self {
        let keep = |set: &BTreeSet<_>, kept| if kept { set.clone() } else { BTreeSet::new() };
        let mut rebased = Self {
            base,
            owner: Self::needed_owner(base, owner),
            shown: keep(&self.shown, base != Base::Everyone),
            hidden: keep(&self.hidden, base != Base::Nobody),
        };
        for connection in shown {
            rebased.set_view(*connection, Some(View::Shown));
        }
        rebased
    }

    /// Those who are shown, ascending.
    pub(super) fn shown(&self) -> impl Iterator<Item = ConnectionId> {
        self.shown.iter().copied()
    }

    /// An owner makes a difference to areas only.
    fn needed_owner(base: Base, owner: Option<ConnectionId>) -> Option<ConnectionId> {
        owner.filter(|_| matches!(base, Base::Area(_)))
    }

    /// The connection is gone: it is named no more.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.owner.take_if(|owner| *owner == connection);
        self.set_view(connection, None);
    }
}
