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
/// A struct travels as its members in order, an enum without data as four bytes, an enum
/// with data as the packed position of the variant and then its members. In the bytes of Mirror an enum
/// without data is an integer of the type that its `#[repr(...)]` names, or an `i32`, as in C#.
///
/// `#[sync_value(crate = <path>)]` on the type gives the path of the crate `syncvar`, `::syncvar` by
/// default; `#[sync_value(skip)]` on a member of a struct leaves it out.
///
/// Builds with different types play together: members and variants are found by their names. `#[sync_value(was = "hp")]`
/// on a member or a variant gives its former name, `was("hp", "life")` several, newest first. `#[sync_value(other)]` on one
/// variant lets it take the place of each variant that this build does not know; its members, if it has some, then have
/// the value 0, an empty text, no element.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(SyncValue, Clone, PartialEq, Default)]
/// enum Gait {
///     #[default]
///     Stand,
///     #[sync_value(was = "Stroll")]
///     Walk,
///     #[sync_value(other)]
///     Unknown,
/// }
///
/// let schema = <Gait as syncvar::SyncValue>::SCHEMA;
/// assert_eq!(schema.to_string(), "Gait [Stand = 0, Walk was Stroll = 1, Unknown = 2 other]");
/// ```
#[proc_macro_derive(SyncValue, attributes(sync_value))]
pub fn derive_sync_value(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    value(&parse_macro_input!(input as DeriveInput)).into()
}

/// Gives a struct values between two values: those of its members.
///
/// Each member has the trait `Interpolate`, and a type parameter has it as a bound. The distance of two values is the
/// root of the sum of the squares of their members' distances. A member with `#[sync_value(skip)]` keeps its value.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::motion::Interpolate;
///
/// #[derive(SyncValue, Interpolate, Clone, Default)]
/// struct Pose {
///     position: Vector3,
///     heading: f32,
/// }
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var(interpolate = linear)]
///     pose: SyncVar<Pose>,
/// }
/// ```
#[proc_macro_derive(Interpolate, attributes(sync_value))]
pub fn derive_interpolate(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    interpolate(&parse_macro_input!(input as DeriveInput)).into()
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

fn interpolate(input: &DeriveInput) -> TokenStream {
    let value = match model::ValueModel::from_syn(input) {
        Ok(value) => value,
        Err(errors) => return errors.to_compile_errors(),
    };
    match &value.body {
        model::Body::Struct(shape) => expand::interpolate(&value, shape),
        model::Body::PlainEnum { .. } | model::Body::DataEnum(_) => {
            const MESSAGE: &str = "an enum has no values between two others: write `interpolate = nearest` at its \
                 field, without this derive";
            syn::Error::new(input.ident.span(), MESSAGE).to_compile_error()
        }
    }
}

fn value(input: &DeriveInput) -> TokenStream {
    match model::ValueModel::from_syn(input) {
        Ok(value) => expand::value(&value),
        Err(errors) => fallback::value(input, &errors),
    }
}
