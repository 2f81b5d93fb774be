//! Budgets: connections that are sent so many bytes of changes with one update and no more.
//!
//! What such a connection is not sent waits for it: not the bytes, but which fields have changed. The
//! longer an object waits the higher its priority; when its turn comes its fields are sent as they are
//! then.

use crate::object::position;
use std::ops::Range;

use crate::ConnectionId;
use crate::object::{Note, Notes};
use crate::packet::{Segments, frames_length};
use crate::{Framing, NetId, NetworkWriter, Vector3};

/// How much a connection is sent of what changes.
///
/// When an update has more for it, objects wait. With every update each of them gains its priority
/// ([`NetworkServer::set_priority`](crate::NetworkServer::set_priority), less with the distance), and
/// those who have gained most go first; so none waits for ever. What is sent then is what they are
/// then: values in between are skipped.
///
/// Spawns, hides and messages of its own are sent at once, and count: what they take is missing from
/// the next updates, though never from more than 20 of them.
///
/// ```
/// # use syncvar::*;
/// # let mut server = NetworkServer::new(Prefabs::new());
/// # let connection = server.handle_connect();
/// // 4000 bytes with each update; what is 50 metres away counts half.
/// let budget = Budget { half_distance: 50.0, ..Budget::new(4000) };
/// server.set_budget(connection, Some(budget));
/// server.set_viewpoint(connection, Some(Vector3::new(10.0, 0.0, 10.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The most bytes of changes in one update, headers included; at least 1. A single object that
    /// takes more than that goes alone, and the updates after it have less.
    pub bytes_per_update: usize,
    /// The distance from the connection's
    /// [viewpoint](crate::NetworkServer::set_viewpoint) at which an object counts half, twice as far
    /// a third, and so on; infinite if distance does not matter.
    pub half_distance: f32,
}

impl Budget {
    /// So many bytes with each update, whatever the distance.
    pub fn new(bytes_per_update: usize) -> Self {
        Self {
            bytes_per_update,
            half_distance: f32::INFINITY,
        }
    }

    /// How much of an object's priority counts, seen from a viewpoint.
    fn weight(&self, viewpoint: Option<Vector3>, position: Vector3) -> f32 {
        let Some(from) = viewpoint else {
            return 1.0;
        };
        let (x, y, z) = (
            position.x - from.x,
            position.y - from.y,
            position.z - from.z,
        );
        let distance = (x * x + y * y + z * z).sqrt();
        let weight = 1.0 / (1.0 + distance / self.half_distance.max(f32::MIN_POSITIVE));
        // A place that is no place must not keep an object back for ever.
        if weight.is_nan() {
            1.0
        } else {
            weight.max(LEAST_WEIGHT)
        }
    }
}

/// What counts of an object however far away it is, so that it does not wait for ever.
const LEAST_WEIGHT: f32 = 1e-3;

/// So many updates at most have less because of what was sent before.
const LONGEST_DEBT: i64 = 20;

/// Nothing that is sent counts less.
const LEAST_BYTES: usize = 2;

/// The priorities that make a difference.
const PRIORITIES: std::ops::RangeInclusive<f32> = 1e-3..=1e6;

/// A priority that can be reckoned with.
pub(super) fn sensible_priority(priority: f32) -> f32 {
    if priority.is_nan() {
        return 1.0;
    }
    priority.clamp(*PRIORITIES.start(), *PRIORITIES.end())
}

/// An object that waits for its turn on one channel.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) net_id: NetId,
    pub(super) channel: u8,
    /// What it has gained.
    gained: f64,
    /// The fields of each behaviour that have changed, in [`Limit::masks`].
    pub(super) masks: Range<u32>,
    /// What was written for everybody with this update, if nothing is missing from it.
    pub(super) fresh: Option<usize>,
    /// In how many updates it was passed over for the sake of others.
    postponed: u8,
}

/// What is kept for a connection with a budget.
#[derive(Debug)]
pub(super) struct Limit {
    pub(super) budget: Budget,
    /// Whether the budget is over, and with it the limit once nothing waits any more.
    pub(super) over: bool,
    /// How many bytes may be sent with this update; what was sent beyond it is a debt.
    allowance: i64,
    /// What has been chosen to be sent with it: how many, and their bytes.
    chosen: (usize, usize),
    /// Objects that wait, in order, and their masks.
    pub(super) waiting: Vec<Waiting>,
    pub(super) masks: Vec<u64>,
    /// The lists before these, to be used again.
    former: (Vec<Waiting>, Vec<u64>),
    /// Changes of this update that were written for this connection alone.
    pub(super) again: NetworkWriter,
    /// What is sent to it with this update, a buffer for each channel.
    pub(super) outputs: Vec<Segments>,
}

impl Limit {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            budget,
            over: false,
            allowance: 0,
            chosen: (0, 0),
            waiting: Vec::new(),
            masks: Vec::new(),
            former: (Vec::new(), Vec::new()),
            again: NetworkWriter::new(),
            outputs: Vec::new(),
        }
    }

    /// The bytes that are sent to this connection.
    pub(super) fn charge(&mut self, bytes: usize) {
        let left = self.allowance.saturating_sub_unsigned(bytes as u64);
        self.allowance = left.max(self.longest_debt());
    }

    fn longest_debt(&self) -> i64 {
        self.full().saturating_mul(-LONGEST_DEBT)
    }

    fn full(&self) -> i64 {
        let bytes = self.budget.bytes_per_update.max(1);
        i64::try_from(bytes).unwrap_or(i64::MAX)
    }

    /// Another update begins.
    pub(super) fn renew(&mut self) {
        self.chosen = (0, 0);
        let full = self.full();
        self.allowance = if self.over {
            i64::MAX
        } else {
            // What was sent under a larger budget must not take more updates of a smaller one.
            let left = self.allowance.max(self.longest_debt());
            left.saturating_add(full).min(full)
        };
    }

    /// Whether changes of so many bytes can be sent to this connection with this update, besides what
    /// was chosen before. One thing can always be sent, unless there is a debt.
    pub(super) fn afford(&mut self, framing: Framing, bytes: usize, packet_size: usize) -> bool {
        let (count, before) = self.chosen;
        let chosen = (count + 1, before + bytes);
        let total = chosen.1 + frames_length(framing.form(), chosen, packet_size);
        let within = i64::try_from(total).is_ok_and(|total| total <= self.allowance);
        let affordable = within || count == 0 && self.allowance >= self.full();
        if affordable {
            self.chosen = chosen;
        }
        affordable
    }

    /// Puts what an update has written among what waits; `concerns` tells which notes are of objects
    /// that this connection sees.
    pub(super) fn note(
        &mut self,
        notes: &Notes,
        connection: ConnectionId,
        concerns: impl Fn(&Note) -> bool,
    ) {
        let (mut waiting, mut masks) = std::mem::take(&mut self.former);
        let mut former = self.waiting.drain(..).peekable();
        let concerned = notes.list.iter().enumerate();
        for (place, note) in concerned.filter(|(_, note)| concerns(note)) {
            let key = (note.net_id, note.channel);
            while let Some(earlier) = former.next_if(|w| (w.net_id, w.channel) < key) {
                keep(earlier, &self.masks, &mut waiting, &mut masks);
            }
            let new = match &note.owner {
                Some((owner, masks)) if *owner == connection => slice(&notes.masks, masks),
                _ => slice(&notes.masks, &note.masks),
            };
            if new.iter().all(|mask| *mask == 0) {
                continue;
            }
            // An object that was given to another owner has been written twice.
            if let Some(last) = waiting.last_mut().filter(|w| (w.net_id, w.channel) == key) {
                let range = last.masks.start as usize..last.masks.end as usize;
                for (missed, new) in masks.iter_mut().take(range.end).skip(range.start).zip(new) {
                    *missed |= new;
                }
                last.fresh = None;
                continue;
            }
            let start = position(&masks);
            let earlier = former.next_if(|w| (w.net_id, w.channel) == key);
            let missed = earlier.as_ref().map(|w| slice(&self.masks, &w.masks));
            let missed = missed
                .unwrap_or_default()
                .iter()
                .chain(std::iter::repeat(&0));
            masks.extend(new.iter().zip(missed).map(|(new, missed)| new | missed));
            waiting.push(Waiting {
                net_id: note.net_id,
                channel: note.channel,
                gained: earlier.as_ref().map_or(0.0, |earlier| earlier.gained),
                masks: start..position(&masks),
                fresh: (earlier.is_none() && note.changes.is_some()).then_some(place),
                postponed: 0,
            });
        }
        for earlier in former {
            keep(earlier, &self.masks, &mut waiting, &mut masks);
        }
        self.masks.clear();
        self.former = (
            std::mem::replace(&mut self.waiting, waiting),
            std::mem::replace(&mut self.masks, masks),
        );
    }

    /// Lets every object that waits gain its priority, and adds to `order` the positions of those who
    /// can have their turn now, the first first. `of` tells the priority and the place of an object.
    pub(super) fn order(
        &mut self,
        order: &mut Vec<usize>,
        viewpoint: Option<Vector3>,
        of: impl Fn(NetId) -> (f32, Vector3),
    ) {
        for waiting in &mut self.waiting {
            let (priority, position) = of(waiting.net_id);
            waiting.gained +=
                f64::from(priority) * f64::from(self.budget.weight(viewpoint, position));
        }
        order.extend(0..self.waiting.len());
        let gained = |place: &usize| self.waiting.get(*place).map_or(0.0, |w| w.gained);
        let first = |a: &usize, b: &usize| gained(b).total_cmp(&gained(a)).then(a.cmp(b));
        // Each takes some bytes: there is no need to sort more than can be sent.
        let most = usize::try_from(self.allowance).unwrap_or(0) / LEAST_BYTES + 1;
        if most < order.len() {
            order.select_nth_unstable_by(most, first);
            order.truncate(most);
        }
        order.sort_unstable_by(first);
    }

    /// Passes over one that waits, if that has not been done too often. Returns whether it was.
    pub(super) fn postpone(&mut self, place: usize) -> bool {
        let waiting = self.waiting.get_mut(place);
        waiting.is_some_and(|waiting| {
            let more = waiting.postponed.checked_add(1);
            waiting.postponed = more.unwrap_or(u8::MAX);
            more.is_some()
        })
    }

    /// Takes those at these positions, ascending, off the list. The others are no longer fresh.
    pub(super) fn take(&mut self, positions: impl Iterator<Item = usize>) {
        let mut taken = positions.peekable();
        let mut place = 0;
        self.waiting.retain_mut(|waiting| {
            let is_taken = taken.next_if_eq(&place).is_some();
            place += 1;
            waiting.fresh = None;
            !is_taken
        });
    }

    /// The connection has been given the full state of an object: it misses nothing of it.
    pub(super) fn forget(&mut self, net_id: NetId) {
        let first = self.waiting.partition_point(|w| w.net_id < net_id);
        let count = self.waiting.iter().skip(first);
        let count = count.take_while(|w| w.net_id == net_id).count();
        self.waiting.drain(first..first + count);
    }
}

/// Goes on waiting, in another list.
fn keep(mut earlier: Waiting, from: &[u64], waiting: &mut Vec<Waiting>, masks: &mut Vec<u64>) {
    let start = position(masks);
    masks.extend_from_slice(slice(from, &earlier.masks));
    earlier.masks = start..position(masks);
    waiting.push(earlier);
}

pub(super) fn slice<'a>(masks: &'a [u64], range: &Range<u32>) -> &'a [u64] {
    let range = range.start as usize..range.end as usize;
    masks.get(range).unwrap_or_default()
}
