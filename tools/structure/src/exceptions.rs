//! Places above a limit that are allowed, each with the reason.

use crate::findings::Rule::{self, Bools, Fields};

/// Reason of settings from Unity's inspector.
const OF_UNITY: &str = "settings with the names and types of Mirror's components";

/// Reason of settings of an end.
const OF_MANAGER: &str =
    "independent switches of Mirror's NetworkManager, NetworkServer and authenticators";

/// Allowed places. The test prints each finding in the form of an entry.
#[rustfmt::skip]
pub const EXCEPTIONS: &[(Rule, &str, &str)] = &[
    (Fields, "protocols/net ModelConnection", "of the model of the link in tests"),
    (Fields, "protocols/net Sender", "the counts and times of the acknowledgements of one connection"),
    (Fields, "syncvar-runtime RefusedInput", "counters of a user, one per cause"),
    (Bools, "protocols/mirror MirrorClientConfig", OF_MANAGER),
    (Bools, "protocols/mirror MirrorServerConfig", OF_MANAGER),
    (Bools, "protocols/mirror PredictionSettings", OF_UNITY),
    (Bools, "protocols/mirror TransformSettings", OF_UNITY),
];
