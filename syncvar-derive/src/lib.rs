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

/// Makes a struct a networked behaviour.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Creature {
///     #[sync_var]
///     health: SyncVar<i32>,
/// }
///
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(send_interval = 0.05, channel = 1)]
/// struct Player {
///     #[network_behaviour(base)]
///     base: Creature,
///     #[sync_var(hook = on_score_changed)]
///     score: SyncVar<u32>,
///     #[sync_var(hook = on_item, batch_hook = on_items)]
///     items: SyncList<String>,
///     last_input: u32, // does not travel
/// }
///
/// impl Player {
///     fn on_score_changed(&mut self, previous: u32) {
///         println!("score {previous} -> {}", self.score);
///     }
///     fn on_item(&mut self, change: &ListChange<String>) {
///         println!("{change:?}"); // such as `Add { index: 0, value: "axe" }`
///     }
///     fn on_items(&mut self, changes: &[ListChange<String>]) {
///         println!("{} changes, {} items now", changes.len(), self.items.len());
///     }
/// }
///
/// let mut player = Player::default();
/// player.score += 5;
/// player.items.push("axe".into());
/// assert_eq!(player.sync_var_dirty_bits(), 0b110); // bit 0 belongs to the base
/// ```
///
/// A hook may take a context as its last argument: the id and owner of the object, other objects, commands.
///
/// ```
/// # use syncvar::prelude::*;
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var(hook = on_open)]
///     open: SyncVar<bool>,
/// }
///
/// impl Door {
///     fn on_open(&mut self, previous: bool, ctx: &mut NetworkContext<'_>) {
///         println!("{}: {previous} -> {}, mine: {}", ctx.net_id(), self.open, ctx.is_owner());
///     }
/// }
/// ```
///
/// A hook runs for changes, and not for the state of the spawn. With `initial_hook` it runs for that state
/// too, before [`ClientEvent::Spawned`], for each field that differs from a new object of the prefab; the
/// previous value is the field of that new object. `#[network_behaviour(initial_hook)]` says so for all hooks of
/// the struct.
///
/// ```
/// # use syncvar::prelude::*;
/// #[derive(NetworkBehaviour, Default)]
/// struct Lamp {
///     #[sync_var(hook = on_switched, initial_hook)]
///     lit: SyncVar<bool>,
/// }
///
/// impl Lamp {
///     fn on_switched(&mut self, previous: bool) {
///         println!("{previous} -> {}", self.lit);
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Lamp>("lamp"));
/// net.server.spawn(Lamp { lit: true.into() });
/// net.settle(); // prints `false -> true`
/// ```
///
/// [`ClientEvent::Spawned`]: https://docs.rs/syncvar/latest/syncvar/enum.ClientEvent.html
///
/// A codec chooses the bytes of a value:
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::{codec::{Half, Quantized}, values::Vector3};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Unit {
///     /// 3 bytes for each component.
///     #[sync_var(with = Quantized<-500, 500, 100>)]
///     position: SyncVar<Vector3>,
///     #[sync_var(with = Half, hook = on_speed_changed)]
///     speed: SyncVar<f32>,
/// }
///
/// impl Unit {
///     fn on_speed_changed(&mut self, _previous: f32) {}
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Unit>("unit"));
/// let id = net.server.spawn(Unit::default());
/// net.settle();
/// let mut unit = net.server.get_mut::<Unit>(id).unwrap();
/// unit.position.x = 0.004; // less than half a centimetre
/// drop(unit);
/// assert_eq!(net.server.get::<Unit>(id).unwrap().sync_var_dirty_bits(), 0);
/// ```
///
/// A policy chooses the readers of a field, its writers, and the time of its updates:
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(send_interval = 0)]
/// struct Ship {
///     #[sync_var(read = owner)]
///     cargo: SyncList<String>, // nobody else is sent what is in it
///     #[sync_var(write = owner)]
///     rudder: SyncVar<f32>, // the client that owns the ship steers
///     #[sync_var(threshold = leaked, max_interval = 2.0)]
///     water: SyncVar<f32>,
/// }
///
/// impl Ship {
///     fn leaked(last_sent: &f32, now: &f32) -> bool {
///         now - last_sent > 0.1
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Ship>("ship"));
/// let ship = net.server.spawn(Ship::default());
/// net.server.set_owner(ship, Some(net.connection(0))).unwrap();
/// net.settle();
/// net.client_mut(0).get_mut::<Ship>(ship).unwrap().rudder.set(0.5);
/// net.settle();
/// assert_eq!(net.server.get::<Ship>(ship).unwrap().rudder, 0.5);
/// ```
///
/// On the struct, `#[network_behaviour(...)]` takes:
///
/// * `send_interval = <seconds>`: the shortest time between two updates; 0 for every server update.
///   The default is a setting of the server (`ServerConfig::send_interval`): three ticks, 0.1 s.
/// * `channel = unreliable`: the updates travel in packets that may be lost, each field with its newest value;
///   `channel = reliable` is the default. A number selects another channel of `ServerConfig::channels`, where
///   `reliable` is 0 and `unreliable` is 1.
/// * `redundancy = 1`: on an unreliable channel the next packet repeats a change, so that a single loss delays
///   no value by a round trip; 0 by default.
/// * `crate = <path>`: the path of the crate `syncvar`; `::syncvar` by default.
/// * `lifecycle`: the struct implements `NetworkLifecycle`, with callbacks for its object's
///   spawn, despawn, change of owner, and so on. A class without it has the callbacks of its base.
/// * `synchronize`: the struct implements `Synchronize`, a function for data that travels with the
///   snapshot, beside the fields. A class without it has the function of its base.
/// * `sync_mode = owner`: `read = owner` on every field of this struct; `sync_mode = observers`, the default,
///   `read = everyone`. The names are Mirror's, where this is a setting of a component and not of
///   a field.
/// * `sync_direction = client_to_server`: `write = owner` on every field of this struct;
///   `sync_direction = server_to_client` is the default. Neither applies to the fields of
///   a base, which keep the settings of their struct.
/// * `sync_method = hybrid`: in Mirror's protocol the changes of a component of this struct travel
///   unreliably, and its snapshot reliably once a second; `sync_method = reliable` is the default. The setting
///   of a base does not count, and a prefab can override it. A behaviour with collections cannot be hybrid.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(lifecycle, synchronize)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
///     colour: u32,
///     label: String, // does not travel
/// }
///
/// impl NetworkLifecycle for Door {
///     fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
///         self.label = format!("door {} of colour {}", ctx.net_id(), self.colour);
///         Ok(())
///     }
/// }
///
/// impl Synchronize for Door {
///     fn on_synchronize(
///         &mut self,
///         serializer: &mut BufferSerializer<'_, '_>,
///     ) -> Result<(), SynchronizeError> {
///         serializer.serialize_value(&mut self.colour)
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let id = net.server.spawn(Door { colour: 7, ..Door::default() });
/// net.settle();
/// assert_eq!(net.client(0).get::<Door>(id).unwrap().label, "door #1 of colour 7");
/// ```
///
/// On a field:
///
/// * `#[sync_var]`: the field is synchronised. Its type is `SyncVar<T>`, a collection (`SyncList<T>`,
///   `SyncDictionary<K, V>`, `SyncHashSet<T>` or `SyncSortedSet<T>`) or another `SyncField`.
/// * `#[sync_var(hook = method)]`: after an update has been applied on a client,
///   `fn method(&mut self, previous: T)` runs if the value has changed. Its argument is the
///   previous value; the new one is in the field. For a collection
///   `fn method(&mut self, change: &ListChange<T>)` runs for each change, in order, with a
///   `&DictionaryChange<K, V>` for a dictionary and a `&SetChange<T>` for a set.
/// * `#[sync_var(batch_hook = method)]`: for a collection; after the calls of `hook`,
///   `fn method(&mut self, changes: &[ListChange<T>])` runs once for all changes of an update.
/// * `#[sync_var(with = Half)]`: the value travels in the encoding of this type, a `SyncCodec`, instead of
///   its default one. On the server, a write that does not change the encoded bytes is no change; on a
///   client, no hook runs for it. The field's type must be written out as `SyncVar<T>`; `hook` can stand beside
///   it.
/// * `#[sync_var(read = owner)]`: the field is sent to the connection that owns the object, and to no
///   other; `read = others`: to all but that connection; `read = everyone` is the default.
/// * `#[sync_var(write = owner)]`: the connection that owns the object writes the field, and its changes
///   are sent to all others. Writes of the server are refused, unless
///   `server_override` stands beside it, or no connection owns the object.
///   If both write, the last write to reach the server counts. `write = server` is the default. On a client
///   without the right to write a field, a write is refused.
/// * `#[sync_var(write = owner, check = method)]`: for a `SyncVar<T>`; before the server takes a write of the
///   owner over, `fn method(&self, former: &T, new: &T, elapsed_ticks: u32) -> bool` decides. `self` has all
///   new values; the ticks are those since the last accepted write of the field, or since the connection
///   became the owner. After `false` no field changes, and the owner receives the server's values. A
///   longer path names any function with `&Self` first.
/// * `#[sync_var(initial_only)]`: the field is sent with the snapshot of the object and never after it.
/// * `#[sync_var(min_interval = <seconds>)]`: the shortest time between two updates of this field; the
///   other fields do not wait for it.
/// * `#[sync_var(threshold = function)]`: for a `SyncVar<T>`; a change waits until
///   `fn function(last_sent: &T, now: &T) -> bool` returns true. A single name is
///   a function of the struct, a longer path any function. With `max_interval = <seconds>` it waits no
///   longer than that since the field was last sent. Before the object is shown to another connection,
///   waiting changes are sent to all observers, so that all have the same values.
/// * `#[network_behaviour(base)]`: the field is the base of this behaviour; its fields come first.
///
/// Hooks run in declaration order when all fields of the object have been applied. They do not run for
/// the snapshot that spawns an object on a client.
///
/// The derive knows a collection by its name. A field whose type is an alias of one is synchronised in
/// the same way, but its `hook` receives all changes at once, as a `Vec`, and it has no `batch_hook`.
///
/// A behaviour has at most 64 synchronised fields, with the fields of its bases.
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

/// Makes methods of a behaviour remote calls.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::{CallContext, Target, values::Vector3};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var]
///     ammo: SyncVar<u32>,
///     seen: Vec<String>, // what has been seen and heard here
/// }
///
/// #[network_calls]
/// impl Player {
///     /// The owner calls, the server runs it.
///     #[command]
///     fn fire(&mut self, context: &mut CallContext, at: Vector3) {
///         self.ammo -= 1;
///         let id = context.net_id();
///         let server = context.server().unwrap();
///         server.calls::<Self>(id).exploded(at, 3.0).unwrap();
///     }
///
///     /// Everyone who sees the object may call, each connection five times a second.
///     #[command(requires_ownership = false, rate = 5.0)]
///     fn wave(&mut self) {}
///
///     /// The server calls, clients run it.
///     #[client_rpc(target = not_owner)]
///     fn shake(&mut self, strength: f32) {
///         self.seen.push(format!("shaken by {strength}"));
///     }
///
///     /// The server calls one client.
///     #[target_rpc]
///     fn whisper(&mut self, text: String) {
///         self.seen.push(text);
///     }
///
///     /// The server raises it, the application of the client is told.
///     #[sync_event]
///     fn exploded(at: Vector3, radius: f32);
///
///     /// Whatever else is here stays as it is.
///     fn helper(&self) {}
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
/// let me = net.connection(0);
/// net.settle();
/// let player = Player { ammo: 10.into(), ..Player::default() };
/// let options = SpawnOptions { owner: Some(me), ..SpawnOptions::default() };
/// let id = net.server.try_spawn(player, options).unwrap();
/// net.settle();
///
/// net.client_mut(0).calls::<Player>(id).fire(Vector3::default())?;
/// net.server.calls::<Player>(id).whisper(me, "hello".into())?;
/// net.server.calls::<Player>(id).to(Target::Observers).shake(0.5)?;
/// net.settle();
///
/// let seen = &net.client(0).get::<Player>(id).unwrap().seen;
/// assert_eq!(seen, &["hello", "shaken by 0.5"]);
/// let events = std::iter::from_fn(|| net.client_mut(0).poll_event());
/// let exploded = events.filter_map(|event| match event {
///     ClientEvent::SyncEvent(event) => event.arguments(Player::EXPLODED),
///     _ => None,
/// });
/// assert_eq!(exploded.collect::<Vec<_>>(), [(Vector3::default(), 3.0)]);
/// # Ok::<(), syncvar::calls::CallError>(())
/// ```
///
/// On a method, one of these:
///
/// * `#[command]`: a client calls it, the server runs it. `requires_ownership = false`: every observer may
///   call it, not only the owner of the object. `rate = <number>`: at most
///   this many calls per second and connection, `Limits::command_rate` by default.
/// * `#[client_rpc]`: the server calls it, the observers of the object run it. `target = owner`,
///   `not_owner` or `everyone` (the observers and the server itself) changes the receivers.
/// * `#[target_rpc]`: the server calls it, and names the one connection that runs it; it must observe
///   the object.
/// * `#[sync_event]`, on a function without `self` and body: the server raises it, and each observer
///   receives a `ClientEvent::SyncEvent`. `ReceivedEvent::arguments` finds its arguments by a
///   constant with the event's name.
///
/// The attribute gives the name of the method to the network: `fn fire` itself is named `run_fire`. `self.fire(...)`
/// does not compile, because no other end would run it; `self.run_fire(...)` runs it on this end alone.
///
/// On all of them: `channel = <number>`, 0 by default, and `name = "<text>"`, the name for
/// UNet: by default `fire` is `CmdFire`, `shake` is `RpcShake`, `whisper` is `TargetWhisper` and
/// `exploded` is `EventExploded`. A method `cmd_fire` is `CmdFire`, too.
///
/// `mirror = "<text>"` is for clients and servers of Mirror, which know a call by the full name of the
/// method in C#, with the types of all its parameters, also of the caller's connection:
/// `#[command(mirror = "System.Void Game.Player::CmdFire(UnityEngine.Vector3)")]`. Generic types are
/// written ``System.Collections.Generic.List`1<System.Int32>``, nested ones `Outer/Inner`.
///
/// The first parameter behind `&mut self` is the context if it is a reference to a type named
/// `CallContext`: it names the caller, and contains the whole server or client. All others travel:
/// values, at most 16. `NetworkClient::calls` and `NetworkServer::calls` return the senders of the calls;
/// their methods are as visible as the methods here.
///
/// On the block, `#[network_calls(crate = <path>)]` gives the path of the crate `syncvar`, `::syncvar` by
/// default. A type has one such block. Calls of a base work on objects of derived classes.
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
