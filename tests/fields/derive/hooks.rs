//! Methods that can be hooks.

use std::sync::atomic::{AtomicU32, Ordering};

use syncvar::prelude::*;

use crate::derive::send;

#[test]
fn hook_may_be_private_and_take_a_shared_self() {
    #[derive(NetworkBehaviour, Default)]
    struct Lamp {
        #[sync_var(hook = on_colour)]
        colour: SyncVar<u32>,
        #[sync_var(hook = on_power)]
        power: SyncVar<u32>,
        seen: AtomicU32,
    }

    impl Lamp {
        fn on_colour(&self, previous: u32) {
            self.seen.fetch_add(1 + previous, Ordering::Relaxed);
        }

        pub(crate) fn on_power(&mut self, previous: u32) {
            *self.seen.get_mut() += 10 + previous;
        }
    }

    let (mut lamp, mut replica) = (Lamp::default(), Lamp::default());
    lamp.colour.set(5);
    lamp.power.set(6);
    send(&mut lamp, &mut replica);
    assert_eq!(replica.seen.into_inner(), 11);
}

#[test]
fn hook_result_is_dropped_and_fields_may_share_a_hook() {
    #[derive(NetworkBehaviour, Default)]
    struct Vault {
        #[sync_var(hook = on_change)]
        gold: SyncVar<u32>,
        #[sync_var(hook = on_change)]
        silver: SyncVar<u32>,
        changes: u32,
    }

    impl Vault {
        fn on_change(&mut self, previous: u32) -> u32 {
            self.changes += 1;
            previous
        }
    }

    let (mut vault, mut replica) = (Vault::default(), Vault::default());
    vault.gold.set(1);
    vault.silver.set(2);
    send(&mut vault, &mut replica);
    assert_eq!(replica.changes, 2);
}

#[test]
fn a_hook_can_be_the_method_of_a_trait_that_is_in_scope() {
    trait Observed {
        fn on_change(&mut self, previous: u32);
    }

    #[derive(NetworkBehaviour, Default)]
    struct Vault {
        #[sync_var(hook = on_change)]
        gold: SyncVar<u32>,
        before: u32,
    }

    impl Observed for Vault {
        fn on_change(&mut self, previous: u32) {
            self.before = previous;
        }
    }

    let (mut vault, mut replica) = (Vault::default(), Vault::default());
    vault.gold.set(1);
    send(&mut vault, &mut replica);
    vault.gold.set(2);
    send(&mut vault, &mut replica);
    assert_eq!(replica.before, 1);
}
