//! Objects of a client by the type of their behaviours.

use syncvar_runtime::unstable::object::Cursor;
use syncvar_runtime::{ManyMut, ObjectMut};
use syncvar_runtime::{NetId, NetworkBehaviour, ObjectError};

use crate::client::MirrorClient;

impl MirrorClient {
    /// Returns the objects with a behaviour of this type, each with its first such behaviour. Objects
    /// that are checked out are omitted.
    ///
    /// The cost follows the number of objects of this type. The order is the same every time, but not
    /// by id.
    pub fn iter<B: NetworkBehaviour>(&self) -> impl Iterator<Item = (NetId, &B)> {
        self.objects.world.iter()
    }

    /// Calls a function with each object that has a behaviour of this type, for writing: as with
    /// [`get_mut`](Self::get_mut), in the order of [`iter`](Self::iter).
    pub fn for_each_mut<B: NetworkBehaviour>(&mut self, mut action: impl FnMut(NetId, &mut B)) {
        let mut cursor = Cursor::default();
        while let Some(found) = self.objects.world.next_with::<B>(&mut cursor) {
            if let Ok(mut guard) = self.get_mut_at(found.net_id, found.behaviour) {
                action(found.net_id, &mut guard);
            }
        }
    }

    /// Returns the objects of the prefab with this name, in the order of [`iter`](Self::iter).
    pub fn ids_of_prefab(&self, name: &str) -> impl Iterator<Item = NetId> {
        self.objects.world.ids_of_prefab(name)
    }

    /// Returns the first behaviour of this type on several different objects, for writing.
    ///
    /// # Errors
    ///
    /// When an object does not exist, has no such behaviour, is checked out or comes twice.
    pub fn get_many_mut<B: NetworkBehaviour, const N: usize>(
        &mut self,
        ids: [NetId; N],
    ) -> Result<ManyMut<'_, Self, B, N>, ObjectError> {
        ManyMut::new(self, ids)
    }

    /// Returns an object with all its behaviours, for writing.
    ///
    /// # Errors
    ///
    /// When the object does not exist or is checked out.
    pub fn object_mut(&mut self, id: NetId) -> Result<ObjectMut<'_, Self>, ObjectError> {
        ObjectMut::new(self, id)
    }
}
