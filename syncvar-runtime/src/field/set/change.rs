//! `SetChange`: a change of a set, for its hook.

/// One change of a [`SyncHashSet`](crate::SyncHashSet) or [`SyncSortedSet`](crate::SyncSortedSet), the argument of a hook on a client.
///
/// All changes have been applied when a hook runs. An element changes once per update, however often it
/// changed on the server in between. In the encoding `Mirror` the hook receives every operation in
/// order.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var(hook = on_skills_changed)]
///     skills: SyncHashSet<u32>,
///     learned: Vec<u32>,
/// }
///
/// impl Player {
///     fn on_skills_changed(&mut self, change: &SetChange<u32>) {
///         match change {
///             SetChange::Add { value } => self.learned.push(*value),
///             SetChange::Remove { value } => self.learned.retain(|skill| skill != value),
///             SetChange::Clear { .. } => self.learned.clear(),
///         }
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
/// let player = net.server.spawn(Player::default());
/// net.settle();
/// net.server.get_mut::<Player>(player).unwrap().skills.insert(7);
/// net.settle();
/// assert_eq!(net.client(0).get::<Player>(player).unwrap().learned, [7]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetChange<T> {
    /// An element was added.
    Add {
        /// The element.
        value: T,
    },
    /// An element was removed.
    Remove {
        /// The element.
        value: T,
    },
    /// All elements were removed.
    Clear {
        /// The previous elements.
        previous: Vec<T>,
    },
}

impl<T> SetChange<T> {
    /// Returns the changed element; `None` for [`Clear`](Self::Clear).
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Add { value } | Self::Remove { value } => Some(value),
            Self::Clear { .. } => None,
        }
    }
}
