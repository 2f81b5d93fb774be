//! Loads of objects ahead of their use.

use super::{Location, Pools};

impl Pools {
    /// Loads the behaviours of some objects into the cache: these loads are independent, unlike those of sequential work.
    pub fn load(&self, places: &[Option<Location>]) {
        let mut step = 0;
        loop {
            let mut is_last = true;
            for at in places.iter().flatten() {
                if let Some(pool) = self.all.get(at.pool as usize) {
                    let loads = pool.rows.loads();
                    if step < loads {
                        pool.rows.load(at.row, step);
                    }
                    is_last &= step + 1 >= loads;
                }
            }
            if is_last {
                return;
            }
            step += 1;
        }
    }
}
