//! Parts of a restricted delta: the due fields by set of readers.

use syncvar_runtime::unstable::object::{MAX_CHANNELS, Slots, When};

/// Readers of a part of a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartReaders {
    All,
    AllButOwner,
    Owner,
    /// The object's group, and the owner.
    Group,
    GroupButOwner,
}

/// Readers by part, in the order of writing.
pub(super) const PARTS: [PartReaders; 5] = [
    PartReaders::All,
    PartReaders::AllButOwner,
    PartReaders::Owner,
    PartReaders::Group,
    PartReaders::GroupButOwner,
];

/// Due dirty fields of a behaviour.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selected {
    /// Fields by part, in the order of [`PARTS`].
    pub(super) parts: [u64; PARTS.len()],
    pub(super) channel: u8,
    pub(super) is_due: bool,
}

/// Lists of a delta in progress, reused by the next one.
#[derive(Debug, Default)]
pub(crate) struct PartLists {
    /// Dirty fields by behaviour.
    pub(super) selected: Vec<Selected>,
    /// Fields of the part in progress.
    pub(super) masks: Vec<u64>,
    /// Fields that were sent on the channel in progress.
    pub(super) sent: SentFields,
}

impl PartLists {
    /// Lists the fields of a part on a channel, by behaviour. Returns whether there are any.
    pub(super) fn list_masks(&mut self, part: usize, channel: u8) -> bool {
        self.masks.clear();
        let mut any = 0;
        for selected in &self.selected {
            let mask = if selected.channel == channel {
                selected.parts[part]
            } else {
                0
            };
            any |= mask;
            self.masks.push(mask);
        }
        any != 0
    }
}

/// Sent fields by behaviour, for each role of the observers.
#[derive(Debug, Default)]
pub(super) struct SentFields {
    pub(super) others: Vec<u64>,
    pub(super) owner: Vec<u64>,
    pub(super) members: Vec<u64>,
}

impl SentFields {
    /// Removes all fields. The memory is used again.
    pub(super) fn clear(&mut self) {
        self.others.clear();
        self.owner.clear();
        self.members.clear();
    }

    /// Adds the fields of a part, for the behaviours that were sent.
    pub(super) fn add(&mut self, readers: PartReaders, masks: &[u64], behaviours: u64) {
        use PartReaders::{All, AllButOwner, Group, GroupButOwner, Owner};
        let readers_of = [
            (&mut self.others, &[All, AllButOwner][..]),
            (&mut self.owner, &[All, Owner, Group]),
            (&mut self.members, &[All, AllButOwner, Group, GroupButOwner]),
        ];
        for (list, parts) in readers_of {
            if parts.contains(&readers) {
                add(list, masks, behaviours);
            }
        }
    }
}

fn add(list: &mut Vec<u64>, masks: &[u64], behaviours: u64) {
    list.resize(masks.len(), 0);
    for (index, (all, mask)) in list.iter_mut().zip(masks).enumerate() {
        if behaviours >> index & 1 == 1 {
            *all |= mask;
        }
    }
}

/// Selects the due fields by behaviour, in a list that is empty before. Fields without a receiver become clean.
pub(super) fn select_all(
    slots: &mut dyn Slots,
    when: When,
    tick: u32,
    has_owner: bool,
    all: &mut Vec<Selected>,
) {
    let When { now, force, .. } = when;
    slots.for_each_mut(|slot| {
        let (info, last_send) = (slot.info(), slot.last_send());
        let rules = &info.policy;
        let mut send = slot.dirty_bits();
        // The owner has the values that it wrote, unless the server corrected them since.
        let own = slot
            .policy_state()
            .map_or(0, |state| state.relayed & !state.echoed);
        let unread = if has_owner { own } else { u64::MAX };
        let arrives = info.changes_presence(send);
        let once = if arrives { 0 } else { rules.initial_only };
        let dropped = send & (once | rules.server_only | rules.owner_only & unread);
        if dropped != 0 {
            slot.drop_fields(dropped, Some(tick));
        }
        send &= !dropped;
        if !force && !arrives && rules.throttled != 0 {
            send &= !slot.held_back(now).0;
        }
        let (private, others) = if has_owner {
            (send & rules.owner_only, send & (rules.others_only | own))
        } else {
            (0, 0)
        };
        let group = send & rules.group;
        let passed = now.saturating_sub(last_send);
        let interval_is_over = force || passed > info.interval(when.interval);
        all.push(Selected {
            parts: [
                send & !(private | others | group),
                others & !(private | group),
                private,
                group & !others,
                group & others,
            ],
            channel: info.channel,
            is_due: send != 0 && interval_is_over && usize::from(info.channel) < MAX_CHANNELS,
        });
    });
}
