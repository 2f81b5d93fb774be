//! Delivery of a behaviour's changes.

use crate::attr::{DatagramAttrs, RELIABLE};
use crate::errors::Errors;

/// Settings of the delivery of a behaviour's changes.
pub(crate) struct DeliverySettings {
    /// Set if its changes travel unreliably in Mirror's protocol.
    pub(crate) is_hybrid: bool,
    /// Number of frames that repeat a change, unless 0.
    pub(crate) redundancy: Option<u8>,
    /// Set if changes wait for the other packets of their tick.
    pub(crate) gathers: bool,
}

impl DeliverySettings {
    /// Takes the settings. Refuses those of datagrams on the reliable channel.
    pub(super) fn from_attrs(
        is_hybrid: bool,
        channel: u8,
        attrs: &DatagramAttrs,
        errors: &mut Errors,
    ) -> Self {
        let mut refuse = |span, message| {
            if channel == RELIABLE {
                errors.add_error(syn::Error::new(span, message));
            }
        };
        if let Some(redundancy) = &attrs.redundancy {
            let message = "a reliable channel loses nothing, so it repeats nothing: add `channel = unreliable`, or remove \
                 `redundancy`";
            refuse(redundancy.span, message);
        }
        if let Some(gather) = &attrs.gather {
            let message = "changes on a reliable channel arrive in order, so none of them waits: add `channel = \
                 unreliable`, or remove `gather`";
            refuse(gather.span, message);
        }
        let redundancy = attrs.redundancy.as_ref().map(|it| it.value);
        Self {
            is_hybrid,
            redundancy: redundancy.filter(|frames| *frames != 0),
            gathers: attrs.gather.as_ref().is_none_or(|it| it.value),
        }
    }
}
