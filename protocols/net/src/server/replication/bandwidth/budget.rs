//! Budgets: bandwidth limits of connections, in bytes per update.

use syncvar_runtime::Vector3;

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
    pub(in crate::server) fn weight(&self, viewpoint: Option<Vector3>, position: Vector3) -> f32 {
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
    pub(in crate::server) fn bytes(&self) -> i64 {
        i64::try_from(self.bytes_per_update.max(1)).unwrap_or(i64::MAX)
    }
}

/// Smallest factor of a priority, so that no distance delays an object for ever.
const MIN_WEIGHT: f32 = 1e-3;

/// Range of valid priorities.
const PRIORITIES: std::ops::RangeInclusive<f32> = 1e-3..=1e6;

/// Clamps a priority to a finite positive range. NaN counts as 1.
pub(in crate::server) fn clamp_priority(priority: f32) -> f32 {
    if priority.is_nan() {
        return 1.0;
    }
    priority.clamp(*PRIORITIES.start(), *PRIORITIES.end())
}
