//! The crown: whoever takes it owns it, and whoever owns it writes the motto.

use syncvar::prelude::*;

/// There is one, and it belongs to whoever took it last.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05, lifecycle)]
pub(crate) struct Crown {
    /// Who wears it.
    #[sync_var]
    pub(crate) wearer: SyncVar<NetRef>,
    /// What the wearer has to say; the wearer's client writes it.
    #[sync_var(write = owner, hook = on_motto_changed)]
    pub(crate) motto: SyncVar<String>,
    /// Does not travel: what this replica has noticed.
    pub(crate) seen: Vec<String>,
}

impl Crown {
    fn on_motto_changed(&mut self, _previous: String) {
        self.seen
            .push(format!("the motto is now \"{}\"", self.motto));
    }
}

#[network_calls]
impl Crown {
    /// Anybody may take it, for the fighter that they own.
    #[command(requires_ownership = false)]
    pub(crate) fn take(&mut self, ctx: &mut CallContext<'_>, fighter: NetRef) {
        let (crown, sender) = (ctx.net_id(), ctx.sender());
        let Some(server) = ctx.server() else { return };
        // What a client says is not to be believed: is the fighter theirs?
        if server.owner(fighter.id()) == sender {
            self.wearer.set(fighter);
            server.set_owner(crown, sender);
        }
    }
}

impl NetworkLifecycle for Crown {
    fn on_gained_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_client() {
            self.seen.push("the crown is mine".into());
        }
        Ok(())
    }

    fn on_lost_ownership(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_client() {
            self.seen.push("the crown has been taken from me".into());
        }
        Ok(())
    }
}
