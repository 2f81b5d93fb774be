//! Components that interest managements read. No field of them travels.

use syncvar_runtime::{BehaviourSchema, FieldVisitor, NetworkBehaviour};

/// Number of a match: the 16 bytes of a `Guid` in the order of its text. 0, `Guid.Empty`, stands for "without a match".
///
/// ```
/// use syncvar::mirror::interest::MatchId;
///
/// // d6f1e0c2-a3b4-f596-8778-695a4b3c2d1e
/// let id = MatchId(0xd6f1_e0c2_a3b4_f596_8778_695a_4b3c_2d1e);
/// assert!(!id.is_none() && MatchId::default().is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId(pub u128);

impl MatchId {
    /// Returns whether the number stands for "without a match".
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// Match of an object, for [`MatchInterestManagement`](super::MatchInterestManagement). A write takes
/// effect in the next frame. Mirror, `NetworkMatch`.
///
/// ```
/// use syncvar::mirror::interest::{MatchId, NetworkMatch};
///
/// let ball = NetworkMatch { match_id: MatchId(7) };
/// assert_ne!(ball, NetworkMatch::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkMatch {
    /// The match, at first none: only the owner observes the object.
    pub match_id: MatchId,
}

/// Team of an object, for [`TeamInterestManagement`](super::TeamInterestManagement). A write takes
/// effect in the next frame. Mirror, `NetworkTeam`.
///
/// ```
/// use syncvar::mirror::interest::NetworkTeam;
///
/// let flag = NetworkTeam { team_id: "red".into(), ..Default::default() };
/// assert!(!flag.force_shown);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkTeam {
    /// The team. Blank at first: only the owner observes the object.
    pub team_id: String,
    /// Whether all connections observe the object, from its next rebuild on.
    pub force_shown: bool,
}

/// Range of an object, for [`DistanceInterestManagement`](super::DistanceInterestManagement). Mirror,
/// `DistanceInterestManagementCustomRange`.
///
/// ```
/// use syncvar::mirror::interest::DistanceInterestManagementCustomRange;
///
/// let tower = DistanceInterestManagementCustomRange { range: 2000 };
/// # assert_ne!(tower, Default::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistanceInterestManagementCustomRange {
    /// Distance from which on the object is not visible, in units; 100 by default.
    pub range: i32,
}

impl Default for DistanceInterestManagementCustomRange {
    fn default() -> Self {
        Self { range: 100 }
    }
}

/// Implements a behaviour without fields.
macro_rules! behaviour_without_fields {
    ($type:ty, $name:literal) => {
        impl NetworkBehaviour for $type {
            type Previous = ();

            const SCHEMA: BehaviourSchema = BehaviourSchema {
                name: $name,
                base: None,
                fields: &[],
            };

            fn sync_var_dirty_bits(&self) -> u64 {
                0
            }

            fn visit(&mut self, (): &mut (), _: &mut impl FieldVisitor) {}
        }
    };
}

behaviour_without_fields!(NetworkMatch, "NetworkMatch");
behaviour_without_fields!(NetworkTeam, "NetworkTeam");
behaviour_without_fields!(
    DistanceInterestManagementCustomRange,
    "DistanceInterestManagementCustomRange"
);
