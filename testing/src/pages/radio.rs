//! Compiled behaviours of a world: calls of the server, and fields that each policy restricts.

use syncvar::prelude::*;

/// Name of the prefab.
pub(super) const RADIO: &str = "radio";

/// Name of the call by datagrams.
pub(super) const CRACKLE: &str = "crackle";

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(super) struct Chat {
    pub(super) number: u32,
    pub(super) text: Option<String>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(super) struct Radio {
    #[sync_var]
    pub(super) volume: SyncVar<u8>,
    #[sync_var(read = owner)]
    pub(super) code: SyncVar<u32>,
    #[sync_var(read = others)]
    pub(super) rumour: SyncVar<u32>,
    #[sync_var(read = group)]
    pub(super) plans: SyncList<u32>,
}

/// The same on an unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(super) struct Aerial {
    #[sync_var]
    pub(super) beat: SyncVar<u32>,
    #[sync_var]
    pub(super) angle: SyncVar<f32>,
    #[sync_var(read = owner)]
    pub(super) tuning: SyncVar<u32>,
    #[sync_var]
    pub(super) echoes: SyncList<u16>,
}

#[network_calls]
impl Radio {
    #[client_rpc]
    pub(super) fn ring(&mut self, _number: u32, _texts: Vec<String>) {}

    /// Has the beat of the state that it follows, and the time of the call in milliseconds.
    #[client_rpc(after_state)]
    pub(super) fn settle(&mut self, _beat: u32, _at: u32) {}

    #[target_rpc]
    pub(super) fn whisper(&mut self, _number: u64) {}
}

#[network_calls]
impl Aerial {
    #[client_rpc(unreliable)]
    pub(super) fn crackle(&mut self, _number: u32) {}
}
