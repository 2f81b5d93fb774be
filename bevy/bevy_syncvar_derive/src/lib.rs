//! The derive macros of `bevy_syncvar`: [`Replicate`] for components, [`NetValue`] for values with entities.

mod fields;
mod replicate;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a plain struct or enum a replicated component.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// #[derive(Component, Replicate)]
/// #[component(summary_tick)]
/// struct Player {
///     health: i32,
///     #[sync_var(read = owner)]
///     gold: u32,
///     target: Option<Entity>,
///     #[sync_var(skip)]
///     cooldown: f32, // local: `Default` on clients
/// }
///
/// #[derive(Component, Replicate)]
/// enum Stance {
///     Idle,
///     Guarding { post: Entity },
/// }
/// ```
///
/// The derive makes two structs beside the component: the shadow `PlayerShadow`, a
/// `#[derive(NetworkBehaviour)]` struct with a `SyncVar` for each field, and `PlayerPrevious`, the previous values of
/// [`Received`](https://docs.rs/bevy_syncvar). An enum is one field of its shadow.
///
/// | attribute | meaning |
/// | --- | --- |
/// | `#[sync_var(...)]` on a field | the rules of the field in the shadow: `read`, `write`, `with`, `min_interval`, ... |
/// | `#[sync_var(skip)]` | the field stays local |
/// | `#[sync_var(entities)]` | the type of the field is a `#[derive(NetValue)]` type; types that name `Entity` need no attribute |
/// | `#[network_behaviour(...)]` on the type | the settings of the shadow: `send_interval`, `channel`, ... |
#[proc_macro_derive(Replicate, attributes(sync_var, network_behaviour))]
pub fn replicate(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let expansion = replicate::expand(&input);
    expansion
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Makes a struct or enum with entities a value of components and messages. A type without entities needs
/// `#[derive(SyncValue, Clone)]` only.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_syncvar::prelude::*;
///
/// #[derive(NetValue)]
/// struct Shot {
///     at: Entity,
///     damage: u32,
/// }
///
/// #[derive(Component, Replicate)]
/// struct Gun {
///     #[sync_var(entities)]
///     last: Vec<Shot>,
/// }
/// ```
#[proc_macro_derive(NetValue, attributes(sync_value))]
pub fn net_value(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let expansion = value::expand(&input);
    expansion
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
