//! Method names that the prelude leaves to the user's structs.

use syncvar::prelude::*;

#[derive(NetworkBehaviour, SyncValue, Clone, Default)]
struct Marker;

/// Defines a trait with methods of these names, and calls each of them on a behaviour and value. With a
/// library trait of the same method in scope, a call is ambiguous and does not compile.
macro_rules! own_methods {
    ($($written:ident)* ; $($read:ident)*) => {
        trait Own {
            $(fn $written(&mut self) -> &'static str;)*
            $(fn $read(&self) -> &'static str;)*
        }

        impl Own for Marker {
            $(fn $written(&mut self) -> &'static str { stringify!($written) })*
            $(fn $read(&self) -> &'static str { stringify!($read) })*
        }

        #[test]
        fn internal_method_names_are_free_for_the_user() {
            let mut marker = Marker;
            $(assert_eq!(marker.$written(), stringify!($written));)*
            $(assert_eq!(marker.$read(), stringify!($read));)*
        }
    };
}

own_methods! {
    on_serialize
    on_deserialize
    visit
    visit_as_base
    align
    call_hooks
    set_dirty_bit
    clear_all_dirty_bits
    clear_dirty_bits
    notice_replacements
    set_observed
    set_log
    before_change
    withdraw_changes
    write_fields
    read_fields
    is_beyond_threshold
    remember_for_hooks
    changed_since
    skip_hooks
    read_in_place
    ;
    sync_var_dirty_bits
    write
    same
    remembered
    write_fixed
}
