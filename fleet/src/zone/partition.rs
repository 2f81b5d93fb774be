//! `Partition`: the zone of an object.

use std::collections::BTreeSet;

use syncvar_net::NetworkServer;
use syncvar_runtime::NetId;

use crate::zone::ZoneId;

/// Place of an object in a partitioned world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The zone that has the object.
    pub zone: ZoneId,
    /// Zones that have a ghost of the object.
    pub ghosts: BTreeSet<ZoneId>,
}

/// Rule of a program: the zone of an object, by its position or any further value.
///
/// All zones have the same rule. It runs for an object after its changes, and for every object from time to time.
/// [`Regions`] is a rule for positions in a plane.
pub trait Partition {
    /// Returns the place of an object that `here` has. A rule prefers `here` near a border, so that an object on the border
    /// does not move all the time. `None` leaves the object in its place.
    fn home(&self, server: &NetworkServer, object: NetId, here: ZoneId) -> Option<Home>;
}

/// Position of an object in the plane.
type Position = Box<dyn Fn(&NetworkServer, NetId) -> Option<[f32; 2]> + Send>;

/// Rectangles of a plane, one for each zone.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar_fleet::zone::{Partition, Regions, ZoneId};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Walker {
///     #[sync_var]
///     x: SyncVar<f32>,
/// }
///
/// let (west, east) = (ZoneId(1), ZoneId(2));
/// let regions = Regions::new(|server, object| Some([*server.get::<Walker>(object)?.x, 0.0]))
///     .region(west, [-1000.0, -1000.0], [0.0, 1000.0])
///     .region(east, [0.0, -1000.0], [1000.0, 1000.0])
///     .hysteresis(5.0)
///     .border(20.0);
///
/// let mut server = NetworkServer::new(Prefabs::new().register::<Walker>("walker"));
/// let walker = server.spawn(Walker { x: 3.0.into() });
/// assert_eq!(regions.home(&server, walker, west).unwrap().zone, west);
/// assert_eq!(regions.home(&server, walker, east).unwrap().zone, east);
/// server.get_mut::<Walker>(walker)?.x.set(6.0);
/// let home = regions.home(&server, walker, west).unwrap();
/// assert_eq!(home.zone, east);
/// assert!(home.ghosts.contains(&west));
/// # Ok::<(), syncvar::error::ObjectError>(())
/// ```
pub struct Regions {
    position: Position,
    rectangles: Vec<Region>,
    hysteresis: f32,
    border: f32,
}

impl std::fmt::Debug for Regions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Regions")
            .field("regions", &self.rectangles)
            .field("hysteresis", &self.hysteresis)
            .field("border", &self.border)
            .finish_non_exhaustive()
    }
}

/// Rectangle of a zone: its lowest and highest corner.
#[derive(Clone, Copy, Debug)]
struct Region {
    zone: ZoneId,
    low: [f32; 2],
    high: [f32; 2],
}

impl Region {
    /// Returns the distance from the rectangle to a position, 0 inside: the larger of the distances by axis.
    fn distance(&self, position: [f32; 2]) -> f32 {
        let axes = (0..2).map(|axis| {
            let below = self.low[axis] - position[axis];
            let above = position[axis] - self.high[axis];
            below.max(above)
        });
        axes.fold(0.0, f32::max)
    }
}

impl Regions {
    /// Creates a rule without regions. `position` returns the position of an object, or none for an object without one.
    pub fn new(
        position: impl Fn(&NetworkServer, NetId) -> Option<[f32; 2]> + Send + 'static,
    ) -> Self {
        Self {
            position: Box::new(position),
            rectangles: Vec::new(),
            hysteresis: 0.0,
            border: 0.0,
        }
    }

    /// Adds the region of a zone: a rectangle from its lowest to its highest corner. Of overlapping regions, the first one counts.
    #[must_use]
    pub fn region(mut self, zone: ZoneId, low: [f32; 2], high: [f32; 2]) -> Self {
        self.rectangles.push(Region { zone, low, high });
        self
    }

    /// Sets the distance by which an object is beyond the border before it moves.
    #[must_use]
    pub fn hysteresis(mut self, distance: f32) -> Self {
        self.hysteresis = distance;
        self
    }

    /// Sets the distance from a region up to which its zone has a ghost of an object.
    #[must_use]
    pub fn border(mut self, distance: f32) -> Self {
        self.border = distance;
        self
    }
}

impl Partition for Regions {
    /// An object outside the regions belongs to the nearest region.
    fn home(&self, server: &NetworkServer, object: NetId, here: ZoneId) -> Option<Home> {
        let position = (self.position)(server, object)?;
        let stays = |region: &&Region| {
            region.zone == here && region.distance(position) < self.hysteresis.max(f32::EPSILON)
        };
        let nearest = || {
            let distance = |region: &&Region| region.distance(position);
            { self.rectangles.iter() }.min_by(|one, two| distance(one).total_cmp(&distance(two)))
        };
        let zone = self.rectangles.iter().find(stays).or_else(nearest)?.zone;
        let near =
            |region: &&Region| region.zone != zone && region.distance(position) <= self.border;
        let ghosts = self
            .rectangles
            .iter()
            .filter(near)
            .map(|region| region.zone);
        Some(Home {
            zone,
            ghosts: ghosts.collect(),
        })
    }
}
