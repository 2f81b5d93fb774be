//! Places above a limit that are allowed, each with the reason.

use crate::findings::Rule::{self, Bools, Fields, Lines};

/// Reason of places in rooms of the ends.
const ROOMS: &str = "the rooms of the ends are being divided into parts";

/// Reason of places in the core and the derives.
const CORE: &str = "the folder is being divided by noun";

/// Reason of a function that is one table.
const TABLE: &str = "a table: one arm per case, without logic";

/// Reason of settings from Unity.
const OF_UNITY: &str = "settings with the names and types of Mirror's components";

/// Allowed places. The test prints each finding in the form of an entry.
#[rustfmt::skip]
pub const EXCEPTIONS: &[(Rule, &str, &str)] = &[
    (Fields, "protocols/net Connection", "of the model of the link in tests"),
    (Fields, "protocols/net Sender", ROOMS),
    (Fields, "syncvar-runtime RefusedInput", "counters of a user, one per cause"),
    (Bools, "protocols/mirror MirrorClientConfig", OF_UNITY),
    (Bools, "protocols/mirror MirrorServerConfig", OF_UNITY),
    (Bools, "protocols/mirror PredictionSettings", OF_UNITY),
    (Bools, "protocols/mirror TransformSettings", OF_UNITY),
    (Bools, "syncvar-runtime FieldPolicy", CORE),
    (Lines, "syncvar-derive placement_hint", TABLE),
];
