//! Targets of calls, with the runs of their calls.

use syncvar::prelude::*;

use super::field::{Contents, HookRun, Mark, Rule, Value, contents, number};

/// Run of a call: its number, the content that it must find, the content that it found.
pub(super) type CallRun = (u64, u64, u64);

/// Target of calls, visible to all.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(super) struct Hub {
    #[sync_var(hook = on_beat)]
    beat: SyncVar<Mark>,
    runs: Vec<HookRun>,
    pub(super) calls: Calls,
}

/// The same on an unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(super) struct Buoy {
    #[sync_var(hook = on_beat)]
    beat: SyncVar<Mark>,
    runs: Vec<HookRun>,
    pub(super) calls: Calls,
}

/// Runs of calls on one end.
#[derive(Default)]
pub(super) struct Calls {
    /// Reliable calls of the server.
    pub(super) rings: Vec<u64>,
    /// Unreliable calls of the server.
    pub(super) dust: Vec<u64>,
    /// Calls after the state of their tick.
    pub(super) explosions: Vec<CallRun>,
    /// Commands with their senders.
    pub(super) orders: Vec<(ConnectionId, u64)>,
    /// Unreliable commands with their senders.
    pub(super) hints: Vec<(ConnectionId, u64)>,
}

contents!(Hub: beat; on_beat 0 beat);
contents!(Buoy: beat; on_beat 0 beat);

pub(super) const BEAT: &[Rule] = &[Rule::new("beat").hooked()];

#[network_calls]
impl Hub {
    #[client_rpc]
    pub(super) fn ring(&mut self, number: u64) {
        self.calls.rings.push(number);
    }

    #[client_rpc(after_state)]
    pub(super) fn explode(&mut self, number: u64, state: u64) {
        self.calls
            .explosions
            .push((number, state, self.beat.content()));
    }

    #[command(requires_ownership = false)]
    pub(super) fn order(&mut self, ctx: &mut CallContext<'_>, number: u64) {
        self.calls
            .orders
            .extend(ctx.sender().map(|sender| (sender, number)));
    }
}

#[network_calls]
impl Buoy {
    #[client_rpc(unreliable)]
    pub(super) fn dust(&mut self, number: u64) {
        self.calls.dust.push(number);
    }

    #[client_rpc(after_state)]
    pub(super) fn explode(&mut self, number: u64, state: u64) {
        self.calls
            .explosions
            .push((number, state, self.beat.content()));
    }

    #[command(requires_ownership = false, unreliable)]
    pub(super) fn hint(&mut self, ctx: &mut CallContext<'_>, number: u64) {
        self.calls
            .hints
            .extend(ctx.sender().map(|sender| (sender, number)));
    }
}
