//! `PartAudiences`: audiences of the parts of restricted deltas, kept from tick to tick.
//!
//! The parts of a delta have observers of their own: the owner, all but the owner, the members of a group. No object has
//! such an audience, so it would end with each [`drain`](Audiences::drain), and each tick would make all of them anew. A
//! kept audience counts as that of one more object instead. It ends when the observers of its objects change, and when
//! its part was not written for a while.

use std::collections::BTreeMap;

use syncvar_runtime::interest::Tag;
use syncvar_runtime::{AudienceId, ConnectionId};

use super::Audiences;

/// Drains after which an audience that was not used ends.
const IDLE: u32 = 1_024;

/// Receivers of a part, from the observers of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Receivers {
    /// The observers and one more connection.
    With(ConnectionId),
    /// The observers but one.
    Without(ConnectionId),
    /// One connection.
    Only(ConnectionId),
    /// The observers in a group.
    Group(Tag),
}

/// Audience of a part.
#[derive(Debug)]
struct PartAudience {
    id: AudienceId,
    /// Number of the drain before its last use.
    used: u32,
    /// Observers in the group, ascending, and the number of their last check.
    members: Vec<ConnectionId>,
    checked: u32,
}

/// Audiences of parts, by the audience of the object and the receivers.
#[derive(Debug, Default)]
pub(super) struct PartAudiences {
    audiences: BTreeMap<(AudienceId, Receivers), PartAudience>,
    /// Number of drains.
    drains: u32,
    /// Number of changes of groups and of drains, behind which the members of a group may be others.
    changes: u32,
    /// List of the members of a group, reused.
    members: Vec<ConnectionId>,
}

impl Audiences {
    /// Returns the audience of a part of an object's delta.
    pub(crate) fn part(&mut self, id: AudienceId, receivers: Receivers) -> AudienceId {
        let drains = self.parts.drains;
        if let Some(part) = self.parts.audiences.get_mut(&(id, receivers)) {
            part.used = drains;
            return part.id;
        }
        let found = match receivers {
            Receivers::With(connection) => self.including(id, connection),
            Receivers::Without(connection) => self.without(id, connection),
            Receivers::Only(connection) => self.only(connection),
            Receivers::Group(_) => Self::NOBODY,
        };
        self.keep_part((id, receivers), found, Vec::new())
    }

    /// Returns the observers in an audience among the members of a group. Until the next [`drain`](Self::drain) or
    /// [`forget_groups`](Self::forget_groups), the audience is found without a look at its members.
    pub(crate) fn of_group(
        &mut self,
        id: AudienceId,
        tag: Tag,
        members: impl Iterator<Item = ConnectionId>,
    ) -> AudienceId {
        let key = (id, Receivers::Group(tag));
        let (drains, changes) = (self.parts.drains, self.parts.changes);
        let known = self.parts.audiences.get_mut(&key);
        if let Some(part) = known.filter(|part| part.checked == changes) {
            part.used = drains;
            return part.id;
        }
        let mut list = std::mem::take(&mut self.parts.members);
        list.clear();
        let audience = self.get(id);
        list.extend(members.filter(|it| audience.observes(*it)));
        let known = self.parts.audiences.get_mut(&key);
        let found = if let Some(part) = known.filter(|part| part.members == list) {
            (part.used, part.checked) = (drains, changes);
            part.id
        } else {
            if let Some(former) = self.parts.audiences.remove(&key) {
                self.release(former.id);
            }
            let found = self.only_these(&list);
            self.keep_part(key, found, list.clone())
        };
        self.parts.members = list;
        found
    }

    fn keep_part(
        &mut self,
        key: (AudienceId, Receivers),
        id: AudienceId,
        members: Vec<ConnectionId>,
    ) -> AudienceId {
        self.acquire(id);
        let part = PartAudience {
            id,
            used: self.parts.drains,
            members,
            checked: self.parts.changes,
        };
        self.parts.audiences.insert(key, part);
        id
    }

    /// Looks at the members of groups again before their next use.
    pub(crate) fn forget_groups(&mut self) {
        self.parts.changes = self.parts.changes.wrapping_add(1);
    }

    /// Ends the parts of an audience whose members change, or which ends.
    pub(super) fn forget_parts_of(&mut self, id: AudienceId) {
        let first = (id, Receivers::With(ConnectionId(0)));
        while let Some((key, part)) = self.parts.audiences.range(first..).next()
            && key.0 == id
        {
            let (key, part) = (*key, part.id);
            self.parts.audiences.remove(&key);
            self.release(part);
        }
    }

    /// Ends all parts.
    pub(super) fn forget_parts(&mut self) {
        for part in std::mem::take(&mut self.parts.audiences).into_values() {
            self.release(part.id);
        }
    }

    /// Counts a drain. Now and then ends the parts that are not used.
    pub(super) fn count_drain(&mut self) {
        self.forget_groups();
        self.parts.drains = self.parts.drains.wrapping_add(1);
        if !self.parts.drains.is_multiple_of(IDLE) {
            return;
        }
        let drains = self.parts.drains;
        let is_idle = |part: &PartAudience| drains.wrapping_sub(part.used) >= IDLE;
        let mut idle = Vec::new();
        self.parts.audiences.retain(|_, part| {
            let ends = is_idle(part);
            idle.extend(ends.then_some(part.id));
            !ends
        });
        for id in idle {
            self.release(id);
        }
    }
}
