//! Membership of audiences, independent of readiness.

use syncvar_runtime::unstable::ordered::Ids;

use super::{Area, Base, ConnectionId};

/// Members of an audience, ready or not. Equal sets are equal values: an exception never repeats
/// the base. With an area it may, as the viewers of an area change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Members {
    base: Base,
    /// Member of an area's audience even without seeing the area.
    owner: Option<ConnectionId>,
    /// Members in any case.
    shown: Ids<ConnectionId>,
    /// Excluded in any case.
    hidden: Ids<ConnectionId>,
}

/// Exception for one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// The connection is a member.
    Shown,
    /// The connection is excluded.
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
            shown: Ids::default(),
            hidden: Ids::default(),
        }
    }

    pub(super) fn base(&self) -> Base {
        self.base
    }

    /// Returns whether a connection is a member. `sees` decides whether it sees an area.
    pub(super) fn contain(
        &self,
        connection: ConnectionId,
        sees: impl FnOnce(Area) -> bool,
    ) -> bool {
        if self.hidden.contains(connection) {
            return false;
        }
        match self.base {
            Base::Everyone => true,
            _ if self.owner == Some(connection) || self.shown.contains(connection) => true,
            Base::Nobody => false,
            Base::Area(area) => sees(area),
        }
    }

    /// Returns whether a connection is the owner, shown or hidden. Areas do not matter for it then.
    pub(super) fn mentions(&self, connection: ConnectionId) -> bool {
        self.owner == Some(connection) || self.view(connection).is_some()
    }

    /// Returns the owner and all shown or hidden connections, possibly twice.
    pub(super) fn mentioned(&self) -> impl Iterator<Item = ConnectionId> {
        let views = self.shown.iter().chain(self.hidden.iter());
        self.owner.into_iter().chain(views)
    }

    /// Returns whether a connection is shown or hidden by name.
    pub(super) fn exception(&self, connection: ConnectionId) -> Option<bool> {
        let view = self.view(connection)?;
        Some(view == View::Shown)
    }

    /// Returns the connections that are shown or hidden by name, and which of the two.
    pub(super) fn exceptions(&self) -> impl Iterator<Item = (ConnectionId, bool)> {
        let shown = self.shown.iter().map(|connection| (connection, true));
        shown.chain(self.hidden.iter().map(|connection| (connection, false)))
    }

    fn view(&self, connection: ConnectionId) -> Option<View> {
        if self.hidden.contains(connection) {
            Some(View::Hidden)
        } else {
            self.shown.contains(connection).then_some(View::Shown)
        }
    }

    /// Drops an exception that repeats the base.
    fn needed(&self, view: Option<View>) -> Option<View> {
        match (self.base, view) {
            (Base::Everyone, Some(View::Shown)) | (Base::Nobody, Some(View::Hidden)) => None,
            _ => view,
        }
    }

    /// Returns whether [`set_view`](Self::set_view) would change the members.
    pub(super) fn would_change(&self, connection: ConnectionId, view: Option<View>) -> bool {
        self.needed(view) != self.view(connection)
    }

    /// Sets or removes the exception of a connection.
    pub(super) fn set_view(&mut self, connection: ConnectionId, view: Option<View>) {
        self.shown.remove(connection);
        self.hidden.remove(connection);
        match self.needed(view) {
            Some(View::Shown) => self.shown.insert(connection),
            Some(View::Hidden) => self.hidden.insert(connection),
            None => false,
        };
    }

    /// Returns whether the members have this base and owner.
    pub(super) fn are_based(&self, base: Base, owner: Option<ConnectionId>) -> bool {
        (self.base, self.owner) == (base, Self::needed_owner(base, owner))
    }

    /// Returns the members with a new base and owner, and more shown connections. Exceptions that
    /// repeat the new base are dropped.
    pub(super) fn rebased(
        &self,
        base: Base,
        owner: Option<ConnectionId>,
        shown: &[ConnectionId],
    ) -> Self {
        let keep = |set: &Ids<_>, kept| if kept { set.clone() } else { Ids::default() };
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

    /// Returns the shown connections, ascending.
    pub(super) fn shown(&self) -> impl Iterator<Item = ConnectionId> {
        self.shown.iter()
    }

    /// Drops an owner that no area needs.
    fn needed_owner(base: Base, owner: Option<ConnectionId>) -> Option<ConnectionId> {
        owner.filter(|_| matches!(base, Base::Area(_)))
    }

    /// Removes a closed connection.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.owner.take_if(|owner| *owner == connection);
        self.set_view(connection, None);
    }
}
