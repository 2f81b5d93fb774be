//! Disconnect reasons as numbers and texts.

use syncvar_runtime::DisconnectReason;

/// Returns the number on the wire.
pub(crate) fn number(reason: &DisconnectReason) -> u8 {
    match reason {
        DisconnectReason::SchemaMismatch(_) => 1,
        DisconnectReason::VersionMismatch => 2,
        DisconnectReason::ConnectionLost => 3,
        _ => 0,
    }
}

/// Returns the text on the wire.
pub(crate) fn text(reason: &DisconnectReason) -> String {
    match reason {
        DisconnectReason::Requested(text) => text.clone(),
        DisconnectReason::Limit(limit) => limit.to_string(),
        _ => String::new(),
    }
}

/// Returns the reason with a number. An unknown number counts as a request.
pub(crate) fn from_wire(number: u8, text: String) -> DisconnectReason {
    match number {
        1 => DisconnectReason::SchemaMismatch(None),
        2 => DisconnectReason::VersionMismatch,
        3 => DisconnectReason::ConnectionLost,
        _ => DisconnectReason::Requested(text),
    }
}
