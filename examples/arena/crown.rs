//! The crown: a fighter that takes it becomes its owner, and the owner writes the motto.

use syncvar::prelude::*;

/// The crown of the arena; the last taker owns it.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05, lifecycle)]
pub(crate) struct Crown {
    /// Fighter with the crown.
    #[sync_var]
    pub(crate) wearer: SyncVar<NetRef>,
    /// Motto, written by the wearer's client.
    #[sync_var(write = owner, hook = on_motto_changed)]
    pub(crate) motto: SyncVar<String>,
    /// Output of the hooks of this replica. Not annotated, so it does not travel.
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
    /// Takes the crown for a fighter of the sender. Each client may call it.
    #[command(requires_ownership = false)]
    pub(crate) fn take(&mut self, ctx: &mut CallContext<'_>, fighter: NetRef) {
        let (crown, sender) = (ctx.net_id(), ctx.sender());
        let server = ctx.expect_server();
        // A client may send any id: check that the sender owns the fighter.
        if server.owner(fighter.id()) == sender {
            self.wearer.set(fighter);
            let _ = server.set_owner(crown, sender);
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
