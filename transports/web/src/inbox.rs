//! Packets of the server, between the tasks of the browser and the frames of the page.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use bytes::Bytes;
use js_sys::{Function, Promise};
use syncvar_runtime::Channel;
use wasm_bindgen::JsValue;

use crate::js::{self, JsResult};
use crate::options::WebOptions;

/// A packet of the server.
#[derive(Debug)]
pub(crate) struct InboxPacket {
    pub(crate) carrier: Channel,
    pub(crate) channel: u8,
    pub(crate) packet: Bytes,
}

/// A queue of packets and the end of their connection, shared with the tasks that read it.
#[derive(Clone)]
pub(crate) struct Inbox(Rc<RefCell<InboxQueue>>);

struct InboxQueue {
    arrivals: VecDeque<InboxPacket>,
    /// Bytes of the arrivals.
    bytes: usize,
    options: WebOptions,
    /// Task that waits for room.
    waiting: Option<Function>,
    /// Reason of the end; empty for an end by the server.
    end: Option<String>,
}

impl Inbox {
    pub(crate) fn new(options: WebOptions) -> Self {
        Self(Rc::new(RefCell::new(InboxQueue {
            arrivals: VecDeque::new(),
            bytes: 0,
            options,
            waiting: None,
            end: None,
        })))
    }

    pub(crate) fn options(&self) -> WebOptions {
        self.0.borrow().options
    }

    pub(crate) fn push(&self, arrival: InboxPacket) {
        let mut queue = self.0.borrow_mut();
        queue.bytes = queue.bytes.saturating_add(arrival.packet.len());
        queue.arrivals.push_back(arrival);
    }

    /// Returns whether there is room for more.
    pub(crate) fn has_room(&self) -> bool {
        let queue = self.0.borrow();
        queue.bytes < queue.options.max_received
    }

    /// Waits until the page has taken packets, or the connection is over.
    pub(crate) async fn room(&self) -> JsResult<()> {
        while !self.has_room() && !self.is_over() {
            let promise = Promise::new(&mut |resolve, _| {
                self.0.borrow_mut().waiting = Some(resolve);
            });
            js::settled(promise.into()).await?;
        }
        Ok(())
    }

    /// Takes all packets.
    pub(crate) fn take(&self) -> VecDeque<InboxPacket> {
        let mut queue = self.0.borrow_mut();
        queue.bytes = 0;
        let arrivals = std::mem::take(&mut queue.arrivals);
        drop(queue);
        self.wake();
        arrivals
    }

    /// Ends the connection. The first reason counts.
    pub(crate) fn end(&self, reason: &str) {
        let mut queue = self.0.borrow_mut();
        queue.end.get_or_insert_with(|| reason.to_owned());
        drop(queue);
        self.wake();
    }

    /// Returns the reason of the end.
    pub(crate) fn reason(&self) -> Option<String> {
        self.0.borrow().end.clone()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.borrow().end.is_some()
    }

    fn wake(&self) {
        let waiting = self.0.borrow_mut().waiting.take();
        if let Some(resolve) = waiting {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    }
}
