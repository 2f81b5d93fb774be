//! `Cursor`: objects with a behaviour of a type, pool by pool.

use super::{Location, Pools, PrefabPool};
use crate::NetId;

/// Position in a search for the objects with a behaviour of a type.
///
/// The search visits pools and rows in order, so its cost follows the rows of the matching pools.
/// Objects may be inserted and removed between two steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    pool: u32,
    row: u32,
    /// Position of the behaviour on the objects of the pool.
    behaviour: Option<usize>,
}

/// An object with a behaviour of a type.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Id of the object.
    pub net_id: NetId,
    /// Place of its behaviours.
    pub at: Location,
    /// Position of the first behaviour of the type.
    pub behaviour: usize,
}

impl Pools {
    /// Returns the next object with a behaviour of a type that is not checked out. `position` finds
    /// the behaviour on the objects of a prefab.
    #[inline]
    pub fn next_with(
        &self,
        cursor: &mut Cursor,
        position: impl Fn(u32) -> Option<usize>,
    ) -> Option<Found> {
        loop {
            let pool = self.all.get(cursor.pool as usize)?;
            if cursor.row == 0 {
                cursor.behaviour = position(pool.prefab);
            }
            if let Some(behaviour) = cursor.behaviour
                && let Some((net_id, row)) = pool.next_object(&mut cursor.row)
            {
                let pool = cursor.pool;
                let at = Location { pool, row };
                return Some(Found {
                    net_id,
                    at,
                    behaviour,
                });
            }
            *cursor = Cursor {
                pool: cursor.pool + 1,
                ..Cursor::default()
            };
        }
    }

    /// Returns the objects of a prefab, in the order of their rows.
    pub fn ids_of_prefab(&self, prefab: u32) -> impl Iterator<Item = NetId> {
        let pools = self.all.iter().filter(move |pool| pool.prefab == prefab);
        let ids = pools.flat_map(|pool| pool.rows.ids());
        ids.copied().filter(|id| *id != NetId::NONE)
    }
}

impl PrefabPool {
    /// Returns the next row with contents and its object.
    #[inline]
    fn next_object(&self, row: &mut u32) -> Option<(NetId, u32)> {
        let ids = self.rows.ids();
        loop {
            let (net_id, next) = (*ids.get(*row as usize)?, *row);
            *row += 1;
            if net_id != NetId::NONE && self.rows.slots(next).is_some() {
                return Some((net_id, next));
            }
        }
    }
}
