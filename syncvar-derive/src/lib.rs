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
/// A hook is told of changes, and not of the state that an object is met with. With `initial_hook` it
/// is told of that too, before [`ClientEvent::Spawned`]: of a field that is different from what it is on
/// an object just as its prefab makes it, with that as the previous value.
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
/// How a value travels can be chosen:
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::{Half, Quantized, Vector3};
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
/// Who reads a field, who writes it, and when it is sent can be chosen, too:
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
/// net.server.set_owner(ship, Some(net.connection(0)));
/// net.settle();
/// net.client_mut(0).get_mut::<Ship>(ship).unwrap().rudder.set(0.5);
/// net.settle();
/// assert_eq!(net.server.get::<Ship>(ship).unwrap().rudder, 0.5);
/// ```
///
/// On the struct, `#[network_behaviour(...)]` takes:
///
/// * `send_interval = <seconds>`: the shortest time between two updates; 0.1 unless given, 0 for
///   every server update.
/// * `channel = <number>`: the channel that updates travel on; 0 unless given.
/// * `crate = <path>`: where the crate `syncvar` is found, if not at `::syncvar`.
/// * `lifecycle`: the struct implements `NetworkLifecycle`, whose callbacks tell it when its object is
///   spawned, despawned, given away, and so on. A class without it has the callbacks of its base.
/// * `synchronize`: the struct implements `Synchronize`, a function for data that travels with the
///   full state, beside the fields. A class without it has that of its base.
/// * `sync_mode = owner`: `read = owner` on every field of this struct; `sync_mode = observers`, everyone,
///   unless given. The names are Mirror's, where the settings of a component decide this and not those of
///   a field.
/// * `sync_direction = client_to_server`: `write = owner` on every field of this struct;
///   `sync_direction = server_to_client` unless given. Neither of the two says anything about the fields of
///   a base: these are what the struct of the base makes them.
/// * `sync_method = hybrid`: in Mirror's protocol the changes of a component of this struct travel
///   unreliably, and its whole state reliably once a second; `sync_method = reliable` unless given. That of a
///   base does not count, and a prefab can say otherwise. A behaviour with collections cannot be hybrid.
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
///   `fn method(&mut self, previous: T)` is called if the value is another one. It is given the
///   previous value only: the new one is in the field. For a collection
///   `fn method(&mut self, change: &ListChange<T>)` is called for each change, in order; that of a
///   dictionary is given a `&DictionaryChange<K, V>`, that of a set a `&SetChange<T>`.
/// * `#[sync_var(batch_hook = method)]`: for a collection; after the calls of `hook`, if there is one,
///   `fn method(&mut self, changes: &[ListChange<T>])` is called once for all changes of an update.
/// * `#[sync_var(with = Half)]`: the value travels as this type encodes it, a `SyncCodec`, and not in
///   its own way. On the server, what makes no difference to what is sent is no change then; on a
///   client, no hook runs for it. Only of a `SyncVar<T>` that is written out; `hook` can stand beside
///   it.
/// * `#[sync_var(read = owner)]`: only the connection that owns the object is sent the field, and nobody
///   else ever is; `read = others`: all but that connection; `read = everyone`, unless given.
/// * `#[sync_var(write = owner)]`: the connection that owns the object writes the field, and everybody
///   else is sent what it has written. What the server writes then is refused, unless
///   `server_override` stands beside it; the server may write as long as no connection owns the object.
///   If both write, what comes to the server last counts. `write = server`, unless given. On a client
///   that may not write a field, writing to it is refused.
/// * `#[sync_var(initial_only)]`: the field is sent with the full state of the object and not after it.
/// * `#[sync_var(min_interval = <seconds>)]`: the shortest time between two updates of this field; the
///   others do not wait for it.
/// * `#[sync_var(threshold = function)]`: of a `SyncVar<T>`; a change waits until
///   `fn function(last_sent: &T, now: &T) -> bool` says that it is large enough. A single name is that of
///   a function of the struct, a longer path any function. With `max_interval = <seconds>` it waits no
///   longer than that since the field was last sent. When somebody is shown the object, whatever is held
///   back is sent to everyone first, so that all have the same.
/// * `#[network_behaviour(base)]`: the field is the base of this behaviour; its fields come first.
///
/// Hooks run in declaration order when all fields of the object have been applied. They do not run for
/// the full state that a client is given when it first sees the object.
///
/// The derive knows a collection by its name. A field whose type is an alias of one is synchronised in
/// the same way, but its `hook` is given all changes at once, as a `Vec`, and it has no `batch_hook`.
///
/// A behaviour has at most 64 synchronised fields, those of its bases included.
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
/// `#[sync_value(crate = <path>)]` on the type says where the crate `syncvar` is found, if not at
/// `::syncvar`; `#[sync_value(skip)]` on a member of a struct leaves it out.
#[proc_macro_derive(SyncValue, attributes(sync_value))]
pub fn derive_sync_value(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    value(&parse_macro_input!(input as DeriveInput)).into()
}

/// Makes methods of a behaviour remote calls.
///
/// ```
/// use syncvar::prelude::*;
/// use syncvar::{CallContext, Target, Vector3};
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
/// let id = net.server.spawn_with(player, options).unwrap();
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
/// # Ok::<(), syncvar::CallError>(())
/// ```
///
/// On a method, one of these:
///
/// * `#[command]`: a client calls it, the server runs it. `requires_ownership = false`: not only the
///   owner of the object may call it, but every connection that sees it. `rate = <number>`: at most
///   so many a second from each connection, `ServerConfig::command_rate` unless given.
/// * `#[client_rpc]`: the server calls it, those who observe the object run it. `target = owner`,
///   `not_owner` or `everyone` (the observers and the server itself): others run it.
/// * `#[target_rpc]`: the server calls it, and names the one connection that runs it; it must observe
///   the object.
/// * `#[sync_event]`, on a function without `self` and body: the server raises it, and for those who
///   observe the object it is a `ClientEvent::SyncEvent`. `ReceivedEvent::arguments` finds them by a
///   constant of the event's name.
///
/// On all of them: `channel = <number>`, 0 unless given, and `name = "<text>"`, the name that UNet
/// knows it by: `fire` is `CmdFire`, `shake` is `RpcShake`, `whisper` is `TargetWhisper` and
/// `exploded` is `EventExploded` unless given. A method `cmd_fire` is `CmdFire`, too.
///
/// `mirror = "<text>"` is for clients and servers of Mirror, which know a call by the full name of the
/// method in C#, with the types of all its parameters, also of one that is the connection of the caller:
/// `#[command(mirror = "System.Void Game.Player::CmdFire(UnityEngine.Vector3)")]`. Generic types are
/// written ``System.Collections.Generic.List`1<System.Int32>``, nested ones `Outer/Inner`.
///
/// The first parameter behind `&mut self` is the context if it is a reference to what is called
/// `CallContext`: it says who called, and has the whole server or client in it. All others travel:
/// values, at most 16. What is called on is made by `NetworkClient::calls` and
/// `NetworkServer::calls`; its methods are as visible as those here.
///
/// On the block, `#[network_calls(crate = <path>)]` says where the crate `syncvar` is found, if not at
/// `::syncvar`. A type has one such block. Calls of a base work on objects of derived classes.
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
