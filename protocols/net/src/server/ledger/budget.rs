//! Budgets: bandwidth limits of connections, in bytes per update.

use syncvar_runtime::Vector3;
use syncvar_runtime::unstable::packet::frames_length;

use crate::Framing;

/// The bandwidth limit of a connection, for deltas.
///
/// Changes beyond the limit stay in the connection's backlog. Every update adds the priority of each
/// object in the backlog
/// ([`NetworkServer::set_priority`](crate::NetworkServer::set_priority), reduced by distance). The
/// objects with the highest sum go first, so none waits for ever. A delayed object is sent with its
/// current values: the connection skips the values in between.
///
/// Spawns, hides and messages for one connection are sent at once. Their bytes count against the next
/// updates, at most 20 of them.
///
/// ```
/// # use syncvar::*;
/// # use syncvar::values::Vector3;
/// # let mut server = NetworkServer::new(Prefabs::new());
/// # let connection = server.handle_connect();
/// // 4000 bytes with each update; an object 50 metres away has half its priority.
/// let budget = Budget { half_distance: 50.0, ..Budget::new(4000) };
/// server.set_budget(connection, Some(budget)).unwrap();
/// server.set_viewpoint(connection, Some(Vector3::new(10.0, 0.0, 10.0))).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Maximum bytes of deltas in one update, headers included; at least 1. A larger object is sent
    /// alone and reduces the budget of the next updates.
    pub bytes_per_update: usize,
    /// Distance from the connection's [viewpoint](crate::NetworkServer::set_viewpoint) that halves
    /// an object's priority. Twice the distance leaves a third, and so on. Infinity disables distance.
    pub half_distance: f32,
}

impl Budget {
    /// Returns a budget in bytes per update, for any distance. 0 counts as 1: the smallest budget
    /// delays changes and drops none.
    pub fn new(bytes_per_update: usize) -> Self {
        Self {
            bytes_per_update,
            half_distance: f32::INFINITY,
        }
    }

    /// Returns the factor of an object's priority, seen from a viewpoint.
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
        // A position with NaN must not delay an object for ever.
        if weight.is_nan() {
            1.0
        } else {
            weight.max(MIN_WEIGHT)
        }
    }

    /// Returns the limit as a signed number, at least 1.
    fn bytes(&self) -> i64 {
        i64::try_from(self.bytes_per_update.max(1)).unwrap_or(i64::MAX)
    }
}

/// Updates that pay for bytes sent beyond the budget, at most.
const MAX_OVERDRAFT_UPDATES: i64 = 20;

/// Messages chosen for one update.
#[derive(Clone, Copy, Debug, Default)]
struct Reserved {
    count: usize,
    bytes: usize,
}

/// Bytes of a budget that are left. Without a budget, all bytes are.
#[derive(Debug, Default)]
pub(crate) struct BudgetMeter {
    pub(crate) budget: Option<Budget>,
    /// Whether the budget was removed. It goes when the backlog is empty.
    pub(crate) is_ending: bool,
    /// Bytes left for this update; negative after an overdraft.
    bytes_left: i64,
    reserved: Reserved,
}

impl BudgetMeter {
    /// Returns the meter of a budget.
    pub(crate) fn new(budget: Option<Budget>) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    /// Sets or ends the budget. The bytes left and an overdraft stay.
    pub(crate) fn restart(&mut self, budget: Option<Budget>) {
        (self.budget, self.is_ending) = (budget, false);
    }

    /// Returns whether there is a budget.
    #[inline]
    pub(crate) fn is_limited(&self) -> bool {
        self.budget.is_some()
    }

    /// Returns the bytes left for this update.
    pub(crate) fn bytes_left(&self) -> usize {
        usize::try_from(self.bytes_left).unwrap_or(0)
    }

    /// Returns the factor of an object's priority, seen from a viewpoint.
    pub(crate) fn weight(&self, viewpoint: Option<Vector3>, position: Vector3) -> f32 {
        let budget = self.budget.unwrap_or(Budget::new(0));
        budget.weight(viewpoint, position)
    }

    /// Subtracts sent bytes.
    pub(crate) fn charge(&mut self, bytes: usize) {
        let left = self.bytes_left.saturating_sub_unsigned(bytes as u64);
        self.bytes_left = left.max(self.max_overdraft());
    }

    /// Begins an update: adds the budget to the bytes left.
    pub(crate) fn begin_update(&mut self) {
        self.reserved = Reserved::default();
        let budget = self.bytes();
        self.bytes_left = if self.is_ending || !self.is_limited() {
            i64::MAX
        } else {
            // An overdraft of a larger budget must not last longer under a smaller one.
            let left = self.bytes_left.max(self.max_overdraft());
            left.saturating_add(budget).min(budget)
        };
    }

    /// Reserves the bytes of a delta, and returns whether they fit. The first delta always fits,
    /// except after an overdraft.
    pub(crate) fn reserve(&mut self, framing: Framing, bytes: usize, packet_size: usize) -> bool {
        let reserved = Reserved {
            count: self.reserved.count + 1,
            bytes: self.reserved.bytes + bytes,
        };
        let messages = (reserved.count, reserved.bytes);
        let frames = frames_length(framing.form(), messages, packet_size);
        let within = i64::try_from(reserved.bytes + frames).is_ok_and(|all| all <= self.bytes_left);
        let is_first = self.reserved.count == 0;
        let fits = within || is_first && self.bytes_left >= self.bytes();
        if fits {
            self.reserved = reserved;
        }
        fits
    }

    fn bytes(&self) -> i64 {
        self.budget.map_or(i64::MAX, |budget| budget.bytes())
    }

    fn max_overdraft(&self) -> i64 {
        self.bytes().saturating_mul(-MAX_OVERDRAFT_UPDATES)
    }
}

/// Smallest factor of a priority, so that no distance delays an object for ever.
const MIN_WEIGHT: f32 = 1e-3;

/// Range of valid priorities.
const PRIORITIES: std::ops::RangeInclusive<f32> = 1e-3..=1e6;

/// Clamps a priority to a finite positive range. NaN counts as 1.
pub(crate) fn clamp_priority(priority: f32) -> f32 {
    if priority.is_nan() {
        return 1.0;
    }
    priority.clamp(*PRIORITIES.start(), *PRIORITIES.end())
}
