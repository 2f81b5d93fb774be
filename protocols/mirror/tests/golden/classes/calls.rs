//! Classes with remote calls.

use serde_json::{Value, json};
use syncvar::prelude::*;
use syncvar::values::Vector3;

use super::plain::EmptyNB;
use super::structs::Item;
use crate::golden::log::Log;
use crate::golden::subject::subjects;
use crate::golden::value::Text;
use crate::golden::value::number::EByte;

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Rpcs {
    log: Log,
}

impl Rpcs {
    fn ran(&self, what: &Value) {
        self.log.write("Rpcs", "call", what.clone());
    }
}

#[network_calls]
impl Rpcs {
    #[command]
    pub(crate) fn cmd_no_args(&mut self) {
        self.ran(&json!("CmdNoArgs"));
    }

    #[command]
    pub(crate) fn cmd_int(&mut self, value: i32) {
        self.ran(&json!(format!("CmdInt {value}")));
    }

    #[command]
    pub(crate) fn cmd_many(&mut self, _a: i32, _b: f32, _c: Text, _d: Vector3) {
        self.ran(&json!("CmdMany"));
    }

    #[command(
        requires_ownership = false,
        mirror = "System.Void Rpcs::CmdAnyone(System.String,Mirror.NetworkConnectionToClient)"
    )]
    pub(crate) fn cmd_anyone(&mut self, context: &CallContext<'_>, text: Text) {
        let sender = context.sender().map_or(0, |connection| connection.0);
        let text = text.unwrap_or_default();
        self.ran(&json!(format!("CmdAnyone {text} from {sender}")));
    }

    #[command(channel = 1)]
    pub(crate) fn cmd_unreliable(&mut self, _value: u8) {
        self.ran(&json!("CmdUnreliable"));
    }

    #[command]
    pub(crate) fn cmd_nullable(&mut self, _a: Option<i32>, _b: Text) {
        self.ran(&json!("CmdNullable"));
    }

    #[client_rpc]
    pub(crate) fn rpc_no_args(&mut self) {}

    #[client_rpc]
    pub(crate) fn rpc_int(&mut self, _value: i32) {}

    #[client_rpc(target = not_owner)]
    pub(crate) fn rpc_not_owner(&mut self, _text: Text) {}

    #[client_rpc(channel = 1)]
    pub(crate) fn rpc_unreliable(&mut self, _value: i32) {}

    #[client_rpc(
        mirror = "System.Void Rpcs::RpcItem(Item,System.Collections.Generic.List`1<System.Int32>,\
                  System.Int32[],EByte)"
    )]
    pub(crate) fn rpc_item(
        &mut self,
        _item: Item,
        _list: Option<Vec<i32>>,
        _array: Option<Vec<i32>>,
        _kind: EByte,
    ) {
    }

    #[client_rpc(
        mirror = "System.Void Rpcs::RpcRefs(Mirror.NetworkIdentity,UnityEngine.GameObject,\
                  Mirror.NetworkBehaviour)"
    )]
    pub(crate) fn rpc_refs(&mut self, _id: NetRef, _go: NetRef, _nb: BehaviourRef<EmptyNB>) {}

    #[client_rpc(target = owner, name = "TargetImplicit")]
    pub(crate) fn target_implicit(&mut self, _value: i32) {}

    #[target_rpc(
        mirror = "System.Void Rpcs::TargetExplicit(Mirror.NetworkConnectionToClient,System.String)"
    )]
    pub(crate) fn target_explicit(&mut self, _text: Text) {}
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct RpcBase {
    log: Log,
}

#[network_calls]
impl RpcBase {
    #[command]
    pub(crate) fn cmd_virt(&mut self, value: i32) {
        self.log
            .write("RpcBase", "call", json!(format!("base {value}")));
    }

    #[client_rpc]
    pub(crate) fn rpc_virt(&mut self, value: i32) {
        self.log
            .write("RpcBase", "call", json!(format!("rpc base {value}")));
    }
}

/// Overrides a command, and calls that of its base.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct RpcChild {
    #[network_behaviour(base)]
    base: RpcBase,
}

#[network_calls]
impl RpcChild {
    #[command(mirror = "System.Void RpcChild::CmdVirt(System.Int32)")]
    pub(crate) fn cmd_virt_child(&mut self, value: i32) {
        let log = &self.base.log;
        log.write("RpcChild", "call", json!(format!("child {value}")));
        self.base.run_cmd_virt(value + 1);
    }
}

/// `Game.Net.Health`
#[derive(NetworkBehaviour)]
pub(crate) struct Health {
    #[sync_var]
    health: SyncVar<i32>,
    #[sync_var]
    position: SyncVar<Vector3>,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            health: 100.into(),
            position: SyncVar::default(),
        }
    }
}

#[network_calls]
impl Health {
    #[command]
    pub(crate) fn cmd_take_damage(&mut self, amount: i32) {
        self.health -= amount;
    }

    #[client_rpc]
    pub(crate) fn rpc_damage(&mut self, _amount: i32) {}
}

/// `Game.Net.Health+Inner`
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Inner {
    #[sync_var]
    z: SyncVar<i32>,
}

#[network_calls]
impl Inner {
    #[command]
    pub(crate) fn cmd_inner(&mut self, _items: Option<Vec<Item>>) {}
}

subjects! {
    Rpcs [];
    RpcBase [];
    RpcChild: base [];
    Health [health position];
    Inner [z];
}
