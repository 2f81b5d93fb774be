//! Classes with hooks. Theirs write down that they were called; what UNet's do else is not repeated.

use syncvar::{NetRef, NetworkBehaviour, SyncVar};

use super::{Cell, Cells, cells};
use crate::golden::recorded::Recorded;

#[derive(NetworkBehaviour, Default)]
pub(super) struct HookVar {
    #[sync_var(hook = on_hp)]
    hp: SyncVar<i32>,
    #[sync_var]
    plain: SyncVar<i32>,
    #[sync_var(hook = on_nick)]
    nick: SyncVar<String>,
    log: Vec<String>,
}

impl HookVar {
    fn on_hp(&mut self, previous: i32) {
        self.log.push(format!("hp was {}", previous.show()));
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a hook is given the previous value"
    )]
    fn on_nick(&mut self, previous: String) {
        self.log.push(format!("nick was {}", previous.show()));
    }
}

#[derive(NetworkBehaviour, Default)]
pub(super) struct HookChain {
    #[sync_var(hook = on_a)]
    a: SyncVar<i32>,
    #[sync_var(hook = on_b)]
    b: SyncVar<i32>,
    #[sync_var(hook = on_go)]
    go: SyncVar<NetRef>,
    log: Vec<String>,
}

impl HookChain {
    fn on_a(&mut self, previous: i32) {
        self.log.push(format!("a was {}", previous.show()));
    }

    fn on_b(&mut self, previous: i32) {
        self.log.push(format!("b was {}", previous.show()));
    }

    fn on_go(&mut self, previous: NetRef) {
        self.log.push(format!("go was {}", previous.show()));
    }
}

cells! {
    HookVar [hp plain nick] log;
    HookChain [a b go] log;
}
