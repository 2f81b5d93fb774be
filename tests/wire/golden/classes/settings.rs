//! Classes of one number with a channel and a send interval of their own.

use syncvar::{NetworkBehaviour, SyncVar};

use super::{Cell, Cells, cells};

macro_rules! one_number {
    ($($(#[$settings:meta])* $name:ident;)*) => {$(
        #[derive(NetworkBehaviour, Default)]
        $(#[$settings])*
        pub(super) struct $name {
            #[sync_var]
            v: SyncVar<i32>,
        }

        cells! { $name [v]; }
    )*};
}

one_number! {
    One;
    #[network_behaviour(channel = 1)]
    OnCh1;
    #[network_behaviour(channel = 2, send_interval = 0.5)]
    OnCh2Slow;
    #[network_behaviour(send_interval = 0.5)]
    Slow;
    #[network_behaviour(send_interval = 0)]
    Instant;
}
