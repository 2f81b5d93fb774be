//! A connection: its packets on the way, between the tasks of the browser and the frames of the page.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use bytes::Bytes;
use syncvar_runtime::{Channel, PacketLimits};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

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

/// A packet of the server.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) carrier: Channel,
    pub(crate) channel: u8,
    pub(crate) packet: Bytes,
}

/// State of a connection.
pub(crate) enum State {
    Connecting,
    Open(Carrier),
    /// The reason; empty for an end by the server.
    Closed(String),
}

/// The object of the browser.
#[derive(Clone)]
pub(crate) enum Carrier {
    Session(Session),
    Socket(Socket),
}

/// Content of a link.
pub(crate) struct Inner {
    pub(crate) state: State,
    arrivals: VecDeque<Arrival>,
    /// Bytes of the arrivals.
    received: usize,
    pub(crate) options: WebOptions,
    /// Task that waits for room in the queue.
    waiting: Option<js_sys::Function>,
}

/// A connection to a server, shared with the tasks that read it.
#[derive(Clone)]
pub(crate) struct Link(Rc<RefCell<Inner>>);

impl Link {
    /// Begins to connect.
    pub(crate) fn connect(servers: Servers, options: WebOptions) -> Self {
        let link = Self(Rc::new(RefCell::new(Inner {
            state: State::Connecting,
            arrivals: VecDeque::new(),
            received: 0,
            options,
            waiting: None,
        })));
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
        let options = self.options();
        let mut refused = JsValue::from_str("no address of a server");
        if let Some(url) = &servers.webtransport {
            match Session::open(url, servers.cert_hashes.as_deref(), options.fallback_after).await {
                Ok(session) => {
                    self.enter(Carrier::Session(session.clone()));
                    session.read(self);
                    return Ok(());
                }
                Err(error) => refused = error,
            }
        }
        let Some(url) = &servers.websocket else {
            return Err(refused);
        };
        let socket = Socket::open(url, self).await?;
        self.enter(Carrier::Socket(socket));
        Ok(())
    }

    /// Ends the time of connecting.
    fn enter(&self, carrier: Carrier) {
        let mut inner = self.0.borrow_mut();
        if matches!(inner.state, State::Connecting) {
            inner.state = State::Open(carrier);
        } else {
            drop(inner);
            carrier.close();
        }
    }

    pub(crate) fn options(&self) -> WebOptions {
        self.0.borrow().options
    }

    /// Returns the open carrier.
    pub(crate) fn carrier(&self) -> Option<Carrier> {
        match &self.0.borrow().state {
            State::Open(carrier) => Some(carrier.clone()),
            _ => None,
        }
    }

    /// Returns the reason of the end.
    pub(crate) fn closed(&self) -> Option<String> {
        match &self.0.borrow().state {
            State::Closed(reason) => Some(reason.clone()),
            _ => None,
        }
    }

    /// Adds a packet of the server. Returns whether there is room for another.
    pub(crate) fn arrive(&self, arrival: Arrival) -> bool {
        let mut inner = self.0.borrow_mut();
        inner.received = inner.received.saturating_add(arrival.packet.len());
        inner.arrivals.push_back(arrival);
        inner.received < inner.options.max_received
    }

    /// Returns whether the queue has room.
    pub(crate) fn has_room(&self) -> bool {
        let inner = self.0.borrow();
        inner.received < inner.options.max_received
    }

    /// Waits until the page has taken packets.
    pub(crate) async fn room(&self) -> JsResult<()> {
        while !self.has_room() && self.closed().is_none() {
            let promise = js_sys::Promise::new(&mut |resolve, _| {
                self.0.borrow_mut().waiting = Some(resolve);
            });
            js::settled(promise.into()).await?;
        }
        Ok(())
    }

    /// Takes the packets that have arrived.
    pub(crate) fn take_arrivals(&self) -> VecDeque<Arrival> {
        let mut inner = self.0.borrow_mut();
        inner.received = 0;
        let waiting = inner.waiting.take();
        let arrivals = std::mem::take(&mut inner.arrivals);
        drop(inner);
        if let Some(resolve) = waiting {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
        arrivals
    }

    /// Ends the connection. The first reason counts.
    pub(crate) fn close(&self, reason: &str) {
        let mut inner = self.0.borrow_mut();
        if matches!(inner.state, State::Closed(_)) {
            return;
        }
        let before = std::mem::replace(&mut inner.state, State::Closed(reason.to_owned()));
        let waiting = inner.waiting.take();
        drop(inner);
        if let Some(resolve) = waiting {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
        if let State::Open(carrier) = before {
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
    pub(crate) fn close(&self) {
        match self {
            Self::Session(session) => session.close(),
            Self::Socket(socket) => socket.close(),
        }
    }
}
