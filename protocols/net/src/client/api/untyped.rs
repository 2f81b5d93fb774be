//! Objects, calls and messages by name, for programs without the compiled types.

use syncvar_runtime::unstable::call::CallRouter;
use syncvar_runtime::untyped::{FieldError, InputBytes, UntypedBehaviour, Value};
use syncvar_runtime::{CallError, Encoding, MessageError, NetId, NetworkWriter};

use crate::client::NetworkClient;
use crate::client::objects::CommandName;
use crate::client::writes::UntypedMut;

impl NetworkClient {
    /// Returns the behaviour of an object with a name, whose prefab comes from a schema
    /// ([`Prefabs::from_schema`](syncvar_runtime::Prefabs::from_schema)). The name of an optional behaviour is `Name` too.
    pub fn untyped(&self, id: NetId, behaviour: &str) -> Option<&UntypedBehaviour> {
        self.untyped_behaviours(id)
            .find(|found| found.is_named(behaviour))
    }

    /// Returns the behaviours of an object whose prefab comes from a schema.
    pub fn untyped_behaviours(&self, id: NetId) -> impl Iterator<Item = &UntypedBehaviour> {
        let identity = self.identity(id).into_iter();
        identity.flat_map(|identity| {
            let all = 0..identity.behaviour_count();
            all.filter_map(move |index| identity.untyped_at(index))
        })
    }

    /// Returns the value of a field: see [`untyped`](Self::untyped). `None` without the object, the behaviour or the field.
    pub fn value(&self, id: NetId, behaviour: &str, field: &str) -> Option<&Value> {
        self.untyped(id, behaviour)?.get(field)
    }

    /// Sets the value of a field that this client writes as the owner of the object. A different value is sent with the next
    /// updates. Returns whether it differed.
    ///
    /// ```
    /// use syncvar::{prelude::*, untyped::Value};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player {
    ///     #[sync_var(write = owner)]
    ///     aim: SyncVar<f32>,
    ///     #[sync_var]
    ///     health: SyncVar<i32>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Player>("player");
    /// let mut net = MemoryNetwork::new(prefabs);
    /// let learned = Prefabs::from_schema(&prefabs().schema())?;
    /// let pilot = net.connect_client(NetworkClient::new(learned));
    /// net.settle();
    /// let owner = Some(net.connection(pilot));
    /// let options = SpawnOptions { owner, ..SpawnOptions::default() };
    /// let id = net.server.try_spawn(Player::default(), options)?;
    /// net.settle();
    /// net.client_mut(pilot).set_value(id, "Player", "aim", 0.5)?;
    /// net.settle();
    /// assert_eq!(net.server.get::<Player>(id).unwrap().aim, 0.5);
    /// let error = net.client_mut(pilot).set_value(id, "Player", "health", 9).unwrap_err();
    /// assert_eq!(error.to_string(), "Player.health: this client may not write the field");
    /// let error = net.client_mut(pilot).set_value(id, "Player", "aim", "up").unwrap_err();
    /// assert_eq!(error.to_string(), "Player.aim: a float expected, not a text");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the object, the behaviour or the field does not exist, this client may not write the field, or the value does not
    /// fit its type.
    pub fn set_value(
        &mut self,
        id: NetId,
        behaviour: &str,
        field: &str,
        value: impl Into<Value>,
    ) -> Result<bool, FieldError> {
        let may_write = self.session.may_write(&self.context.config);
        let untyped = UntypedMut::of(id, behaviour, field, &mut self.objects.world)?;
        let written = untyped.set(may_write, field, &value.into())?;
        if written {
            self.writes.changed.insert(id);
        }
        Ok(written)
    }

    /// Calls a command by name, with its arguments as values. It works for compiled behaviours too.
    ///
    /// ```
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Door {
    ///     #[sync_var]
    ///     knocks: SyncVar<u32>,
    /// }
    ///
    /// #[network_calls]
    /// impl Door {
    ///     #[command(requires_ownership = false)]
    ///     fn knock(&mut self, times: u32) {
    ///         self.knocks += times;
    ///     }
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Door>("door");
    /// let mut net = MemoryNetwork::new(prefabs);
    /// let learned = Prefabs::from_schema(&prefabs().schema())?;
    /// let visitor = net.connect_client(NetworkClient::new(learned));
    /// let id = net.server.spawn(Door::default());
    /// net.settle();
    /// net.client_mut(visitor).call(id, "Door", "knock", &[3.into()])?;
    /// net.settle();
    /// assert_eq!(net.client(visitor).value(id, "Door", "knocks"), Some(&3.into()));
    /// let error = net.client_mut(visitor).call(id, "Door", "knock", &["x".into()]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "an argument does not fit: times: an integer expected, not a text"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the object has no such command, an argument does not fit, and as a call of a compiled command.
    pub fn call(
        &mut self,
        id: NetId,
        behaviour: &str,
        command: &str,
        arguments: &[Value],
    ) -> Result<(), CallError> {
        let (framing, channels) = (self.framing(), self.context.config.channels.len());
        let name = CommandName { behaviour, command };
        let place = self.objects.command_named(id, name, framing, channels)?;
        let mut call = self.session.begin_command(id, place, &self.objects)?;
        call.write_values(arguments)?;
        self.send_call(call)
    }

    /// Sends a message by its name, on channel 0: see [`send_value_on`](Self::send_value_on).
    ///
    /// ```
    /// use syncvar::{prelude::*, untyped::Value};
    ///
    /// #[derive(SyncValue, Clone, PartialEq, Debug)]
    /// struct Chat {
    ///     text: String,
    /// }
    ///
    /// let prefabs = || Prefabs::new().message::<Chat>("chat");
    /// let mut net = MemoryNetwork::new(prefabs);
    /// let learned = Prefabs::from_schema(&prefabs().schema())?;
    /// let visitor = net.connect_client(NetworkClient::new(learned));
    /// net.settle();
    /// let hello = Value::structure([("text", "hello")]);
    /// net.client_mut(visitor).send_value("chat", hello.clone())?;
    /// net.server.send_to_ready(&Chat { text: "hello".into() })?;
    /// net.settle();
    /// let received = std::iter::from_fn(|| net.client_mut(visitor).poll_event());
    /// let received = received.filter_map(|event| match event {
    ///     ClientEvent::Message(message) => message.value().cloned(),
    ///     _ => None,
    /// });
    /// assert_eq!(received.collect::<Vec<_>>(), [hello]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When no message has the name, the value does not fit, and as [`send`](Self::send).
    pub fn send_value(
        &mut self,
        message: &str,
        value: impl Into<Value>,
    ) -> Result<(), MessageError> {
        self.send_value_on(0, message, value)
    }

    /// Sends a message by its name on a channel.
    ///
    /// # Errors
    ///
    /// As [`send_value`](Self::send_value) and [`send_on`](Self::send_on).
    pub fn send_value_on(
        &mut self,
        channel: u8,
        message: &str,
        value: impl Into<Value>,
    ) -> Result<(), MessageError> {
        let kind = self.objects.world.prefabs.messages().by_name(message);
        let kind = kind.ok_or_else(|| MessageError::UnknownName(message.into()))?;
        let number = kind.number;
        let mut writer = NetworkWriter::with_encoding(self.session.server.framing.encoding());
        kind.write(&value.into(), &mut writer)?;
        let view = self.arrivals.as_ref().and_then(|it| it.view(&self.objects));
        let (outbound, context) = (&mut self.outbound, &mut self.context);
        self.session
            .send_message(channel, number, writer, view.as_ref(), outbound, context)
    }

    /// Sets the input of the ticks to come as a value: see [`set_input`](Self::set_input). For a client whose prefabs come
    /// from a schema.
    ///
    /// ```
    /// use syncvar::{prelude::*, untyped::Value};
    ///
    /// #[derive(SyncValue, Clone, Default)]
    /// struct Move {
    ///     x: f32,
    ///     jump: bool,
    /// }
    ///
    /// let prefabs = Prefabs::new().input::<Move>();
    /// let mut client = NetworkClient::new(Prefabs::from_schema(&prefabs.schema())?);
    /// client.set_input_value(Value::structure([("x", 1.0.into()), ("jump", Value::Bool(true))]))?;
    /// let error = client.set_input_value(1).unwrap_err();
    /// let text = "the message does not fit its type: a struct expected, not an integer";
    /// assert_eq!(error.to_string(), text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the schema has no inputs, the value does not fit, or has no form on the wire.
    pub fn set_input_value(&mut self, input: impl Into<Value>) -> Result<(), MessageError> {
        let prefabs = &self.objects.world.prefabs;
        let missing = || MessageError::UnknownName("input".into());
        let kind = prefabs.messages().by_name("input").ok_or_else(missing)?;
        let list = prefabs.input_kind().ok_or_else(missing)?;
        let encoding = self.session.server.framing.encoding();
        let (value, mut bytes) = (input.into(), InputBytes::default());
        for (form, bytes) in [
            (Encoding::Unet, &mut bytes.unet),
            (Encoding::Compact, &mut bytes.compact),
        ] {
            let mut writer = NetworkWriter::with_encoding(form);
            kind.write(&value, &mut writer)?;
            // A value without a form in the encoding of an earlier server is of no account.
            if let Some(error) = writer.take_error().filter(|_| form == encoding) {
                return Err(error.into());
            }
            bytes.extend_from_slice(writer.as_bytes());
        }
        let translation = self.session.build.translation.as_deref();
        self.inputs
            .hold(&bytes, encoding, translation, || list.make())
    }
}
