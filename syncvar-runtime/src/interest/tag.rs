//! `Tag`: the number of a group.

use crate::ids::Id;

/// Number of a group: a team, a match, a scene. The game chooses it.
///
/// ```
/// use syncvar::interest::Tag;
///
/// const RED_TEAM: Tag = Tag(1);
/// assert_ne!(RED_TEAM, Tag(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub u64);

impl Id for Tag {
    #[inline]
    fn number(self) -> u64 {
        self.0
    }

    #[inline]
    fn with_number(number: u64) -> Self {
        Self(number)
    }
}
