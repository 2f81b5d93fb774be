//! Classes with hooks.

use serde_json::json;
use syncvar::prelude::*;

use crate::golden::changes::list_events;
use crate::golden::log::Log;
use crate::golden::subject::subjects;
use crate::golden::value::Text;

#[derive(NetworkBehaviour)]
pub(crate) struct HookVars {
    #[sync_var(hook = on_list)]
    list: SyncList<i32>,
    #[sync_var(hook = on_a)]
    a: SyncVar<i32>,
    #[sync_var(hook = on_b)]
    b: SyncVar<i32>,
    #[sync_var]
    c: SyncVar<i32>,
    #[sync_var(hook = on_s)]
    s: SyncVar<Text>,
    #[sync_var(hook = on_static)]
    f: SyncVar<f32>,
    #[sync_var(hook = on_virtual)]
    v: SyncVar<i32>,
    log: Log,
}

/// Overrides the hook of `v`: nothing of that is on the wire.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct HookVarsChild {
    #[network_behaviour(base)]
    base: HookVars,
}

impl Default for HookVars {
    fn default() -> Self {
        Self {
            list: SyncList::new(),
            a: 1.into(),
            b: 2.into(),
            c: 3.into(),
            s: Some("init".to_string()).into(),
            f: SyncVar::default(),
            v: SyncVar::default(),
            log: Log::default(),
        }
    }
}

impl HookVars {
    fn write(&self, what: &str) {
        self.log.write("HookVars", "hook", json!(what));
    }

    fn text(text: &Text) -> &str {
        text.as_deref().unwrap_or("null")
    }

    /// As the recorder describes the fields.
    fn fields(&self) -> String {
        let Self {
            a, b, c, s, f, v, ..
        } = self;
        let (s, list) = (Self::text(s), self.list.len());
        format!("a={a} b={b} c={c} s={s} f={f} v={v} list={list}")
    }

    fn on_list(&mut self, change: &ListChange<i32>) {
        let Some(ListChange::Set {
            index,
            previous,
            value,
        }) = Some(change)
        else {
            return self
                .log
                .write("HookVars", "list", json!(list_events(change)));
        };
        self.write(&format!(
            "list OP_SET {index} {previous}->{value} b={}",
            self.b
        ));
    }

    fn on_a(&mut self, previous: i32) {
        self.write(&format!("a({previous}->{}) {}", self.a, self.fields()));
    }

    fn on_b(&mut self, previous: i32) {
        self.write(&format!("b({previous}->{}) {}", self.b, self.fields()));
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a hook is given the previous value"
    )]
    fn on_s(&mut self, previous: Text) {
        let (previous, now) = (Self::text(&previous), Self::text(&self.s));
        self.write(&format!("s({previous}->{now}) {}", self.fields()));
    }

    fn on_static(&mut self, previous: f32) {
        self.write(&format!("f({previous}->{})", self.f));
    }

    fn on_virtual(&mut self, previous: i32) {
        self.write(&format!("v({previous}->{}) {}", self.v, self.fields()));
    }
}

/// Its hook writes to its fields.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct HookWrites {
    #[sync_var(hook = on_x)]
    x: SyncVar<i32>,
    #[sync_var(hook = on_y)]
    y: SyncVar<i32>,
    log: Log,
}

impl HookWrites {
    fn on_x(&mut self, previous: i32) {
        let what = format!("x({previous}->{}) y={}", self.x, self.y);
        self.log.write("HookWrites", "hook", json!(what));
        let x = *self.x;
        self.y.set(x.wrapping_mul(2));
        self.x.set(x.wrapping_add(1000));
    }

    fn on_y(&mut self, previous: i32) {
        let what = format!("y({previous}->{}) x={}", self.y, self.x);
        self.log.write("HookWrites", "hook", json!(what));
    }
}

subjects! {
    HookVars [list a b c s f v];
    HookVarsChild: base [];
    HookWrites [x y];
}
