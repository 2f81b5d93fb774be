//! Classes with remote calls. What is called writes down what the recorded classes wrote.

use syncvar::SyncValue;
use syncvar::prelude::*;
use syncvar::values::{Color, Color32, Decimal, Quaternion, Vector2, Vector3, Vector4};

use super::{Buf, Cell, Cells, cells};
use crate::golden::recorded::EnumNumber;

/// Has remote calls and nothing that is synchronised.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Calls {
    pub(crate) log: Vec<String>,
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct CallsDerived {
    #[network_behaviour(base)]
    base: Calls,
}

cells! {
    Calls [];
}

/// An object as the recorder writes it.
fn shown(id: NetId) -> String {
    match id {
        NetId::NONE => "null".into(),
        NetId(number) => number.to_string(),
    }
}

#[network_calls]
impl Calls {
    #[command]
    pub(crate) fn cmd_move(&mut self, x: i32, y: i32) {
        self.log.push(format!("CmdMove({x},{y})"));
    }

    #[command]
    pub(crate) fn cmd_none(&mut self) {
        self.log.push("CmdNone()".into());
    }

    #[command(channel = 1)]
    pub(crate) fn cmd_ch1(&mut self, text: String) {
        self.log.push(format!("CmdCh1({text})"));
    }

    #[command]
    pub(crate) fn cmd_many(
        &mut self,
        b: bool,
        u8: u8,
        i8: i8,
        c: char,
        i16: i16,
        u16: u16,
        i32: i32,
        u32: u32,
        i64: i64,
        u64: u64,
        f32: f32,
        f64: f64,
        dec: Decimal,
        s: String,
    ) {
        let b = if b { "True" } else { "False" };
        let whole = format!("{b}{u8}{i8}{c}{i16}{u16}{i32}{u32}{i64}{u64}");
        self.log.push(format!("CmdMany {whole}"));
        assert_eq!((f32, f64, s.as_str()), (0.5, -0.25, "end"));
        assert_eq!(dec, Decimal::new(150, 2));
    }

    #[command]
    pub(crate) fn cmd_unity(
        &mut self,
        _v2: Vector2,
        _v3: Vector3,
        _v4: Vector4,
        _q: Quaternion,
        _col: Color,
        _col32: Color32,
    ) {
        self.log.push("CmdUnity".into());
    }

    #[command]
    pub(crate) fn cmd_refs(&mut self, go: NetId, id: NetId, nid: NetId) {
        let name = if go == NetId::NONE { "null" } else { "player" };
        let (id, nid) = (shown(id), nid.0);
        self.log
            .push(format!("CmdRefs go={name} id={id} nid={nid}"));
    }

    #[command]
    pub(crate) fn cmd_struct(&mut self, buf: Buf, kind: EnumNumber) {
        let (id, name, timer) = buf.parts();
        let kind = if kind.same(&EnumNumber::new(2)) {
            "Two"
        } else {
            "?"
        };
        self.log.push(format!("CmdStruct {id}{name}{timer}{kind}"));
    }

    #[command]
    pub(crate) fn cmd_arrays(
        &mut self,
        ints: Vec<i32>,
        texts: Vec<String>,
        raw: Vec<u8>,
        bufs: Vec<Buf>,
    ) {
        let lengths = [ints.len(), texts.len(), raw.len(), bufs.len()];
        let [a, b, c, d] = lengths;
        self.log.push(format!("CmdArrays {a} {b} {c} {d}"));
    }

    #[client_rpc]
    pub(crate) fn rpc_damage(&mut self, amount: i32) {
        self.log.push(format!("RpcDamage({amount})"));
    }

    #[client_rpc]
    pub(crate) fn rpc_none(&mut self) {}

    #[client_rpc(channel = 1)]
    pub(crate) fn rpc_say(&mut self, text: String, _at: Vector3) {
        self.log.push(format!("RpcSay({text})"));
    }

    #[client_rpc]
    pub(crate) fn rpc_struct(&mut self, _buf: Buf, _kind: EnumNumber, _other: EnumNumber) {}

    #[client_rpc]
    pub(crate) fn rpc_arrays(
        &mut self,
        _ints: Vec<i32>,
        _texts: Vec<String>,
        _raw: Vec<u8>,
        _bufs: Vec<Buf>,
    ) {
    }

    #[client_rpc]
    pub(crate) fn rpc_wide(&mut self, _a: i64, _b: u64, _c: f64, _d: Decimal, _e: char) {}

    #[target_rpc]
    pub(crate) fn target_do_magic(&mut self, extra: i32) {
        self.log.push(format!("TargetDoMagic({extra})"));
    }

    #[target_rpc(channel = 1)]
    pub(crate) fn target_hi(&mut self, _text: String, _number: u16) {}

    #[sync_event]
    pub(crate) fn event_die();

    #[sync_event(channel = 1)]
    pub(crate) fn event_hit(a: i32, b: f32, c: String);
}

#[network_calls]
impl CallsDerived {
    #[client_rpc]
    pub(crate) fn rpc_extra(&mut self, _number: i32) {
        self.base.log.push("RpcExtra".into());
    }
}
