//! The derive macros of `syncvar`. Use them through the crate `syncvar`.
#![warn(clippy::print_stdout)]

mod attr;
mod bounds;
mod calls;
mod errors;
mod expand;
mod fallback;
mod lints;
mod model;
mod names;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_macro_input};

#[doc = include_str!("docs/network_behaviour.md")]
#[proc_macro_derive(NetworkBehaviour, attributes(sync_var, network_behaviour))]
pub fn derive_network_behaviour(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    behaviour(&parse_macro_input!(input as DeriveInput)).into()
}

/// Makes a struct or enum a value that can travel.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(SyncValue, Clone, Default)]
/// struct Buff {
///     id: u32,
///     timer: f32,
///     #[sync_value(skip)]
///     icon_loaded: bool, // does not travel: a client keeps its own
/// }
///
/// let mut buff: SyncVar<Buff> = Buff::default().into();
/// buff.timer = 2.5;
/// assert!(buff.is_dirty());
/// ```
///
/// A struct travels as its members one after another, an enum without data as four bytes, an enum
/// with data as the packed position of the variant and then its members. In the bytes of Mirror an enum
/// without data is an integer of the type that its `#[repr(...)]` names, or an `i32`, as in C#.
///
/// `#[sync_value(crate = <path>)]` on the type gives the path of the crate `syncvar`, `::syncvar` by
/// default; `#[sync_value(skip)]` on a member of a struct leaves it out.
#[proc_macro_derive(SyncValue, attributes(sync_value))]
pub fn derive_sync_value(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    value(&parse_macro_input!(input as DeriveInput)).into()
}

#[doc = include_str!("docs/network_calls.md")]
#[proc_macro_attribute]
pub fn network_calls(
    attr: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    calls::network_calls(&attr.into(), &item.into()).into()
}

/// A method that clients call on the server: see [`macro@network_calls`], inside of which it belongs.
#[proc_macro_attribute]
pub fn command(
    _: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    calls::stray("command", &item.into()).into()
}

/// A method that the server calls on clients: see [`macro@network_calls`], inside of which it belongs.
#[proc_macro_attribute]
pub fn client_rpc(
    _: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    calls::stray("client_rpc", &item.into()).into()
}

/// A method that the server calls on one client: see [`macro@network_calls`], inside of which it
/// belongs.
#[proc_macro_attribute]
pub fn target_rpc(
    _: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    calls::stray("target_rpc", &item.into()).into()
}

/// An event that the server raises on clients: see [`macro@network_calls`], inside of which it
/// belongs.
#[proc_macro_attribute]
pub fn sync_event(
    _: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    calls::stray("sync_event", &item.into()).into()
}

fn behaviour(input: &DeriveInput) -> TokenStream {
    match model::Behaviour::from_syn(input) {
        Ok(behaviour) => expand::behaviour(&behaviour),
        Err(errors) => fallback::behaviour(input, &errors),
    }
}

fn value(input: &DeriveInput) -> TokenStream {
    match model::Value::from_syn(input) {
        Ok(value) => expand::value(&value),
        Err(errors) => fallback::value(input, &errors),
    }
}
