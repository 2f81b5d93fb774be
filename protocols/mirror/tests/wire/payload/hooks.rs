//! Which hooks are told of what, and in which order.

use syncvar::prelude::*;
use syncvar_runtime::behaviour::Panicked;

use super::support::Component;

/// The fields of Mirror's recordings about hooks.
#[derive(NetworkBehaviour)]
struct HookVars {
    #[sync_var(hook = on_a)]
    a: SyncVar<i32>,
    #[sync_var(hook = on_b)]
    b: SyncVar<i32>,
    #[sync_var]
    c: SyncVar<i32>,
    #[sync_var(hook = on_s)]
    s: SyncVar<String>,
    #[sync_var(hook = on_list)]
    list: SyncList<i32>,
    log: Vec<String>,
}

impl Default for HookVars {
    fn default() -> Self {
        Self {
            a: 1.into(),
            b: 2.into(),
            c: 3.into(),
            s: "init".into(),
            list: SyncList::default(),
            log: Vec::new(),
        }
    }
}

impl HookVars {
    fn on_a(&mut self, previous: i32) {
        assert_ne!(*self.a, -1, "no");
        let Self { a, b, s, list, .. } = self;
        let line = format!("a {previous} -> {a} ({b}, {s}, {})", list.len());
        self.log.push(line);
    }

    fn on_b(&mut self, previous: i32) {
        self.log.push(format!("b {previous} -> {}", self.b));
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a hook is given the previous value"
    )]
    fn on_s(&mut self, previous: String) {
        self.log.push(format!("s {previous} -> {}", self.s));
    }

    fn on_list(&mut self, change: &ListChange<i32>) {
        self.log.push(format!("{change:?} ({})", self.b));
    }
}

fn log(component: &mut Component) -> Vec<String> {
    std::mem::take(&mut component.get_mut::<HookVars>().log)
}

/// Mirror calls `a` before it has read `b`; here every hook sees what all fields are.
#[test]
fn hooks_run_in_field_order_after_all_fields() {
    let mut client = Component::new(HookVars::default());
    let change = "01000000000000000200000000020004 0f14283c 0400 6e6577".replace(' ', "");
    let hooks = client.read(&change, false).unwrap();
    assert_eq!(*client.get::<HookVars>().a, 10);
    assert_eq!(log(&mut client), [""; 0], "they are called later");
    client
        .slot()
        .call_hooks(syncvar_runtime::unstable::object::Hooks::Changed(hooks))
        .unwrap();
    let expected = [
        "Add { index: 0, value: 1 } (20)",
        "Add { index: 1, value: 2 } (20)",
        "a 1 -> 10 (20, new, 2)",
        "b 2 -> 20",
        "s init -> new",
    ];
    assert_eq!(log(&mut client), expected);
    client.apply("0000000000000000031428", false).unwrap();
    assert_eq!(log(&mut client), [""; 0], "the same once more");
}

#[test]
fn hooks_of_collections_run_before_those_of_the_values() {
    let mut client = Component::new(HookVars::default());
    client
        .apply(
            "010000000000000001000000000202 2a"
                .replace(' ', "")
                .as_str(),
            false,
        )
        .unwrap();
    assert_eq!(
        log(&mut client),
        ["Add { index: 0, value: 1 } (21)", "b 2 -> 21"]
    );
}

#[test]
fn full_state_runs_hooks_of_changed_fields_only() {
    let mut client = Component::new(HookVars::default());
    let same = "0000000000000000 020406 0500 696e6974".replace(' ', "");
    let hooks = client.read(&same, true).unwrap();
    assert!(hooks.is_empty(), "there is nothing to tell");
    let other = "020000000204 00000000 14063c 0500 696e6974".replace(' ', "");
    client.apply(&other, true).unwrap();
    let behaviour = client.get::<HookVars>();
    assert_eq!(*behaviour.list, [1, 2]);
    assert_eq!((*behaviour.b, *behaviour.c), (3, 30));
    assert_eq!(log(&mut client), ["a 1 -> 10 (3, init, 2)", "b 2 -> 3"]);
    assert_eq!(client.slot().dirty_bits(), 0);
}

#[test]
fn panicking_hook_is_reported_and_contained() {
    let mut client = Component::new(HookVars::default());
    let Panicked(message) = client.apply("00000000000000000101", false).unwrap_err();
    assert!(message.contains("no"), "{message}");
    client.apply("00000000000000000206", false).unwrap();
    assert_eq!(log(&mut client), ["b 2 -> 3"]);
}

#[test]
fn behaviour_without_hooks_runs_none() {
    #[derive(NetworkBehaviour, Default)]
    struct Door {
        #[sync_var]
        open: SyncVar<i32>,
    }
    let mut door = Component::new(Door::default());
    let hooks = door.read("02", true).unwrap();
    assert!(hooks.is_empty());
    assert_eq!(*door.get::<Door>().open, 1);
}
