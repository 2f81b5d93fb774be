//! Client in the process of the server: [`NetworkServer::connect_local`].

use syncvar_runtime::events::EventReader;
use syncvar_runtime::unstable::call::Class;
use syncvar_runtime::unstable::object::DeferredHooks;
use syncvar_runtime::unstable::world::CheckOut;
use syncvar_runtime::{
    Callbacks, Called, Changed, CommandSender, ConnectionId, NetId, NetworkBehaviour, NetworkCalls,
};

use crate::server::calls::read_arguments;
use crate::server::host::Host;
use crate::server::sessions::connection::{Connection, ConnectionState};
use crate::server::{LocalClient, NetworkServer, ServerEvent};
use crate::{ClientEvent, Framing};

impl NetworkServer {
    /// Connects a client in the same process that shares the server's objects. It is accepted and
    /// ready at once. A server has at most one: a second call returns the same connection.
    ///
    /// The local client receives no bytes, and the other clients receive the same bytes with and
    /// without it. Objects can be [shown](Self::show) to it, [hidden](Self::hide) from it and owned
    /// by it. The interest management knows it. Read its objects with
    /// [`local_client`](Self::local_client), and its events with
    /// [`poll_local_event`](Self::poll_local_event). [`update`](Self::update) creates the events
    /// that another client would have. [`disconnect`](Self::disconnect) or
    /// [`handle_disconnect`](Self::handle_disconnect) ends it.
    ///
    /// # Hooks on a host
    ///
    /// Hooks of visible objects run on the server's own objects, in [`update`](Self::update):
    ///
    /// * once for each field with another value than at the last update, and with that former
    ///   value; values in between are skipped,
    /// * after all writes and before the send. A hook's writes to its own behaviour go out with the
    ///   same update and trigger hooks in the next one, so a hook that writes its own field ends,
    /// * without the send interval: the local client has the value at once,
    /// * by ascending object id, and in the order of the fields,
    /// * with the server as [`ctx.server()`](crate::NetworkContextExt::server), if they take a context;
    ///   the object is checked out meanwhile,
    /// * never for the initial state of an object.
    ///
    /// For that, a guard copies the fields with a hook, at most once between two updates. A
    /// collection with a hook is copied as a whole. A panic in a hook is
    /// [`ClientEvent::HookFailed`]: the later hooks of the behaviour are skipped, the rest runs.
    ///
    /// # Calls on a host
    ///
    /// A [call](Self::calls) of the server also reaches the local client if it observes the object.
    /// It runs on the server's own object in the next [`update`](Self::update), after all other
    /// steps, in the order of calling. An event is [`ClientEvent::SyncEvent`]; a panic is
    /// [`ClientEvent::CallFailed`]. A call to [`Target::Everyone`](syncvar_runtime::Target::Everyone) runs at
    /// once and only once. The local client calls the server with
    /// [`local_calls`](Self::local_calls).
    ///
    /// ```
    /// # use syncvar::*;
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// let local = server.connect_local();
    /// assert!(server.is_ready(local));
    /// assert_eq!(server.connect_local(), local);
    /// server.disconnect(local, "the game is over");
    /// assert!(server.local_client().is_none());
    /// ```
    pub fn connect_local(&mut self) -> ConnectionId {
        if let Some(host) = &self.host {
            return host.connection;
        }
        let connection = self.sessions.next_id();
        let mut local = Connection::new(connection, self.context.config.gathered_size());
        local.state = ConnectionState::Ready;
        // Independent of the limits of UNet's framing.
        local.framing = Framing::Compact;
        self.sessions.connections.insert(connection.0, local);
        self.sessions.local = Some(connection);
        self.objects.track_local_changes(true);
        self.host = Some(Box::new(Host::new(
            connection,
            self.context.config.max_events,
        )));
        self.visibility
            .interest
            .management
            .handle_connect(connection);
        self.context
            .events
            .push(ServerEvent::Connected { connection });
        self.context.events.push(ServerEvent::Ready { connection });
        connection
    }

    /// Returns whether a connection is the local client.
    #[inline]
    pub fn is_local(&self, connection: ConnectionId) -> bool {
        self.sessions.is_local(connection)
    }

    /// Returns the view of the local client, if it is connected.
    pub fn local_client(&self) -> Option<LocalClient<'_>> {
        let host = self.host.as_deref()?;
        Some(LocalClient { server: self, host })
    }

    /// Returns the oldest event of the local client. These are the events of
    /// [`NetworkClient::poll_event`](crate::NetworkClient::poll_event), without failures of
    /// decoding. The queue holds [`max_events`](crate::ServerConfig::max_events), plus one for each
    /// object at connect. It ends with the local client, which
    /// [`ServerEvent::Disconnected`](crate::ServerEvent::Disconnected) reports.
    ///
    /// A [`ClientEvent::Changed`] names the fields whose hooks ran, and the dirty fields of
    /// behaviours written since the last update. A field that waits for its send interval is named
    /// again after the next write of its behaviour.
    pub fn poll_local_event(&mut self) -> Option<ClientEvent> {
        self.host.as_mut()?.events.pop()
    }

    /// Creates a reader of the local client's events, for a program with several consumers: see
    /// [`EventReader`]. `None` without a local client. A later local client has its own events.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// let mut server = NetworkServer::new(Prefabs::new());
    /// server.connect_local();
    /// let mut reader = server.local_event_reader().unwrap();
    /// server.update(Duration::from_millis(50));
    /// let ready = server.read_local_events(&mut reader).any(|event| *event == ClientEvent::Ready);
    /// assert!(ready);
    /// ```
    pub fn local_event_reader(&mut self) -> Option<EventReader> {
        Some(self.host.as_mut()?.events.reader())
    }

    /// Returns the events of the local client that a reader has not read, oldest first. Empty without a
    /// local client.
    ///
    /// # Panics
    ///
    /// In debug builds, if another end or an earlier local client created the reader.
    pub fn read_local_events<'a>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = &'a ClientEvent> {
        let events = self.host.as_ref().map(|host| host.events.read(reader));
        events.into_iter().flatten()
    }

    /// Returns the changed fields of a behaviour type, in the events of the local client that a reader
    /// has not read. Reads all other events too.
    ///
    /// # Panics
    ///
    /// As [`read_local_events`](Self::read_local_events).
    pub fn local_changes_of<'a, B: NetworkBehaviour>(
        &'a self,
        reader: &'a mut EventReader,
    ) -> impl Iterator<Item = Changed<B>> {
        self.read_local_events(reader)
            .filter_map(ClientEvent::changed::<B>)
    }

    /// Returns the number of events dropped because the queue was full, oldest first.
    pub fn missed_local_events(&self) -> u64 {
        let host = self.host.as_ref();
        host.map_or(0, |host| host.events.missed())
    }

    /// Returns the `#[command]` methods of `B` for the local client, as
    /// [`NetworkClient::calls`](crate::NetworkClient::calls) does on another client.
    ///
    /// The command runs at once on the server's own object, with the local client as
    /// [`sender`](syncvar_runtime::CallContext::sender). It must observe the object, and own it if the
    /// command requires that. Rate limits do not apply. On an object that is checked out, the
    /// command runs after the callback. A panic is
    /// [`ServerEvent::CallFailed`](crate::ServerEvent::CallFailed).
    pub fn local_calls<B: NetworkCalls>(&mut self, id: NetId) -> B::Commands<'_> {
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::commands(CommandSender::through(self, id, Class::of::<B>(None)))
    }

    /// Like [`local_calls`](Self::local_calls), for the behaviour at an index of an object with two
    /// behaviours of one type.
    pub fn local_calls_at<B: NetworkCalls>(&mut self, id: NetId, index: usize) -> B::Commands<'_> {
        const { syncvar_runtime::assert_calls_known::<B>() }
        B::commands(CommandSender::through(
            self,
            id,
            Class::of::<B>(Some(index)),
        ))
    }

    /// Calls the hooks of written behaviours that the local client observes, and reports the
    /// changed fields.
    pub(crate) fn call_local_hooks(&mut self) {
        let Some(host) = &mut self.host else {
            return;
        };
        host.begin_hooks();
        let mut with_context = false;
        while let Some(host) = &mut self.host
            && let Some(due) =
                host.call_due_hooks(&mut self.context, &mut self.objects, &self.visibility)
        {
            with_context = true;
            let (key, fields, written) = (due.key, due.fields, due.written);
            self.run_context_hooks(key.object, vec![due.hooks], None);
            if let Some(host) = &mut self.host {
                host.report_context_hooks(&self.objects, key, fields, written);
            }
        }
        if let Some(host) = self.host.as_mut().filter(|_| with_context) {
            host.report_hook_writes(&self.objects);
        }
    }

    /// Runs hooks on an object that is checked out meanwhile, and then reports an event. The next update checks
    /// the fields that the hooks write.
    fn run_context_hooks(
        &mut self,
        id: NetId,
        mut hooks: Vec<DeferredHooks>,
        event: Option<ClientEvent>,
    ) {
        let before = self.host.as_mut();
        let before = before.map(|host| host.begin_context_hooks(&mut self.objects, id));
        self.check_out(id, |slots, server| {
            server.call_hooks(slots, &mut hooks);
            if let (Some(event), Some(host)) = (event, &mut server.host) {
                host.push_event(event);
            }
        });
        if let Some(host) = &mut self.host {
            let before = before.unwrap_or_default();
            host.end_context_hooks(&self.objects, id, &hooks, &before);
        }
    }

    /// Updates the local client, as the last step of an update.
    pub(crate) fn update_local(&mut self) {
        if let Some(host) = &mut self.host {
            let (changes, joining) = host.take_changes(&self.context, &mut self.objects);
            for id in changes.iter() {
                self.update_local_object(id);
            }
            if let Some(host) = self.host.as_mut().filter(|_| joining) {
                host.push_event(ClientEvent::Ready);
            }
        }
        // Calls that these calls queue run with the next update. A call may disconnect the local client.
        let mut left = self.host.as_ref().map_or(0, |host| host.rpcs.len());
        while let Some(host) = &mut self.host
            && let Some(call) = host.next_rpc(&self.objects, &mut left)
        {
            let (object, place) = (call.object, call.place);
            let mut arguments = read_arguments(&call.arguments);
            if self.objects.world.callbacks == Callbacks::Events && !place.is_event() {
                let called = Called::new(object, &place, None, &arguments);
                host.push_event(ClientEvent::Called(called));
                continue;
            }
            let ran = self.run_object_call(object, &place, None, &mut arguments);
            if let Some(host) = &mut self.host {
                host.report_rpc(call, ran);
            }
        }
        self.run_local_calls();
    }

    /// Reports the changes of one object to the local client, after the initial hooks of an object that it
    /// begins to observe.
    fn update_local_object(&mut self, object: NetId) {
        let Some(host) = &mut self.host else {
            return;
        };
        let view = host.view_of(&self.objects, &self.visibility, object);
        if view.observed && !host.knows(object) {
            let hooks = host.call_initial_hooks(&mut self.context, &mut self.objects, object);
            if !hooks.is_empty() {
                host.announce(object);
                self.run_context_hooks(object, hooks, Some(ClientEvent::Spawned { object }));
            }
        }
        if view.observed && !self.objects.world.contains(object) {
            // A hook has removed it.
            return;
        }
        if let Some(host) = &mut self.host {
            host.update_object(object, view);
        }
    }
}
