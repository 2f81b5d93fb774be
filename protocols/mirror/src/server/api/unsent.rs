//! Changes that have not reached all observers.

use syncvar_runtime::{NetId, ObjectError, UnsentField};

use crate::server::{MirrorServer, UpperRooms};

impl MirrorServer {
    /// Returns the dirty fields of an object with the reason why they are not sent. Empty if all
    /// observers have all changes.
    ///
    /// A component that its owner writes is relayed with all its fields. Costs time in proportion to the
    /// dirty fields and the connections.
    ///
    /// ```
    /// use syncvar::mirror::{MirrorPrefab, MirrorPrefabs, MirrorServer};
    /// use syncvar::prelude::*;
    /// use syncvar::stats::UnsentReason;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     open: SyncVar<bool>,
    /// }
    ///
    /// let prefabs = MirrorPrefabs::new().register::<Door>(MirrorPrefab::new("door", 7.into()));
    /// let mut server = MirrorServer::new(prefabs);
    /// let door = server.spawn(Door::default());
    /// server.get_mut::<Door>(door).unwrap().open.set(true);
    /// let unsent = server.why_not_sent(door).unwrap();
    /// assert_eq!((unsent[0].field, &unsent[0].reason), ("open", &UnsentReason::NoObserver));
    /// ```
    ///
    /// # Errors
    ///
    /// [`ObjectError::NoSuchObject`] for an unknown object. [`ObjectError::CheckedOut`] during a
    /// callback of the object: its changes are queued afterwards.
    pub fn why_not_sent(&mut self, id: NetId) -> Result<Vec<UnsentField>, ObjectError> {
        self.objects.world.check(id)?;
        let UpperRooms {
            replication,
            mut rooms,
            ..
        } = self.parts();
        Ok(replication.unsent_fields(&mut rooms, id))
    }
}
