//! A connection: a session of WebTransport, or a WebSocket.

use std::cell::RefCell;
use std::rc::Rc;

use syncvar_runtime::{Channel, PacketLimits};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use crate::inbox::Inbox;
use crate::js::{self, JsResult};
use crate::options::{Servers, WebOptions};
use crate::session::Session;
use crate::socket::Socket;

/// Transport of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// WebTransport: a stream, and datagrams.
    WebTransport,
    /// WebSocket: all packets in one order.
    WebSocket,
}

/// A connection to a server.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) inbox: Inbox,
    /// `None` while it connects.
    carrier: Rc<RefCell<Option<Carrier>>>,
}

/// The object of the browser.
#[derive(Clone)]
pub(crate) enum Carrier {
    Session(Session),
    Socket(Socket),
}

impl Link {
    /// Begins to connect.
    pub(crate) fn connect(servers: Servers, options: WebOptions) -> Self {
        let link = Self {
            inbox: Inbox::new(options),
            carrier: Rc::default(),
        };
        let task = link.clone();
        spawn_local(async move {
            if let Err(error) = task.open(servers).await {
                task.close(&js::text(&error));
            }
        });
        link
    }

    /// Opens a session of WebTransport, or a WebSocket.
    async fn open(&self, servers: Servers) -> JsResult<()> {
        let limit = self.inbox.options().fallback_after;
        let mut refused = JsValue::from_str("no address of a server");
        if let Some(url) = &servers.webtransport {
            match Session::open(url, servers.cert_hashes.as_deref(), limit).await {
                Ok(session) => {
                    session.read(&self.inbox);
                    self.enter(Carrier::Session(session));
                    return Ok(());
                }
                Err(error) => refused = error,
            }
        }
        let Some(url) = &servers.websocket else {
            return Err(refused);
        };
        let socket = Socket::open(url, &self.inbox).await?;
        self.enter(Carrier::Socket(socket));
        Ok(())
    }

    /// Ends the time of connecting.
    fn enter(&self, carrier: Carrier) {
        if self.inbox.is_over() {
            carrier.close();
        } else {
            self.carrier.replace(Some(carrier));
        }
    }

    /// Returns the carrier of a connection that is made.
    pub(crate) fn carrier(&self) -> Option<Carrier> {
        self.carrier.borrow().clone()
    }

    /// Ends the connection. The first reason counts.
    pub(crate) fn close(&self, reason: &str) {
        self.inbox.end(reason);
        if let Some(carrier) = self.carrier.take() {
            carrier.close();
        }
    }
}

impl Carrier {
    pub(crate) fn transport(&self) -> Transport {
        match self {
            Self::Session(_) => Transport::WebTransport,
            Self::Socket(_) => Transport::WebSocket,
        }
    }

    /// Returns the packet sizes that it carries.
    pub(crate) fn limits(&self, options: &WebOptions) -> PacketLimits {
        let stream = PacketLimits::frames(options.max_packet);
        match self {
            Self::Session(session) => session.limits(stream),
            Self::Socket(_) => stream,
        }
    }

    /// Returns whether much output waits in the browser.
    pub(crate) fn is_full(&self) -> bool {
        match self {
            Self::Session(session) => session.is_full(),
            Self::Socket(socket) => socket.is_full(),
        }
    }

    /// Sends a packet.
    pub(crate) fn send(&self, delivery: Channel, channel: u8, packet: &[u8]) -> JsResult<()> {
        match self {
            Self::Session(session) => session.send(delivery, channel, packet),
            Self::Socket(socket) => socket.send(channel, packet),
        }
    }

    /// Ends the connection behind the output.
    fn close(&self) {
        match self {
            Self::Session(session) => session.close(),
            Self::Socket(socket) => socket.close(),
        }
    }
}
