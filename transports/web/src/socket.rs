//! A WebSocket: each packet is one binary message, behind the number of its channel.

use std::rc::Rc;

use bytes::{Buf, Bytes};
use js_sys::{Promise, Uint8Array};
use syncvar_runtime::Channel;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::js::{self, JsResult};
use crate::link::{Arrival, Link};

/// Bytes of output in the browser above which no more is sent.
const MAX_BUFFERED: f64 = 1024.0 * 1024.0;

/// A WebSocket of the browser.
#[derive(Clone)]
pub(crate) struct Socket {
    socket: JsValue,
    /// Handlers live as long as the socket.
    _handlers: Rc<Vec<Closure<dyn FnMut(JsValue)>>>,
}

impl Socket {
    /// Opens a WebSocket whose packets arrive at a link.
    pub(crate) async fn open(url: &str, link: &Link) -> JsResult<Self> {
        let socket = js::construct("WebSocket", &[url.into()])?;
        js::set(&socket, "binaryType", &"arraybuffer".into())?;
        let receiver = link.clone();
        let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            receive(&receiver, &event);
        });
        js::set(&socket, "onmessage", on_message.as_ref())?;
        let ended = link.clone();
        let on_close = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            let is_clean = js::get(&event, "wasClean").is_ok_and(|it| it.is_truthy());
            ended.close(if is_clean { "" } else { "the WebSocket was cut" });
        });
        js::set(&socket, "onclose", on_close.as_ref())?;
        let opened = Promise::new(&mut |resolve, reject| {
            let _ = js::set(&socket, "onopen", &resolve);
            let _ = js::set(&socket, "onerror", &reject);
        });
        let opened = js::settled(opened.into()).await;
        let socket = Self {
            socket,
            _handlers: Rc::new(vec![on_message, on_close]),
        };
        if opened.is_err() {
            socket.close();
            return Err(JsValue::from_str("the WebSocket did not open"));
        }
        Ok(socket)
    }

    pub(crate) fn is_full(&self) -> bool {
        js::number(&self.socket, "bufferedAmount").is_some_and(|bytes| bytes > MAX_BUFFERED)
    }

    pub(crate) fn send(&self, channel: u8, packet: &[u8]) -> JsResult<()> {
        let message = [&[channel], packet].concat();
        js::call(&self.socket, "send", &[js::bytes(&message)]).map(|_| ())
    }

    /// Ends the connection behind the output.
    pub(crate) fn close(&self) {
        // The handlers may be dropped before the browser has closed the socket.
        for handler in ["onmessage", "onclose", "onerror"] {
            let _ = js::set(&self.socket, handler, &JsValue::NULL);
        }
        let _ = js::call(&self.socket, "close", &[]);
    }
}

/// Handles a message.
fn receive(link: &Link, event: &JsValue) {
    let data = js::get(event, "data").unwrap_or_default();
    if !data.is_instance_of::<js_sys::ArrayBuffer>() {
        link.close("a text message");
        return;
    }
    let mut packet = Bytes::from(Uint8Array::new(&data).to_vec());
    if packet.len() < 2 {
        link.close("no packet in a message");
        return;
    }
    if packet.len() - 1 > link.options().max_packet {
        link.close("a message is too long");
        return;
    }
    let channel = packet.get_u8();
    let carrier = Channel::Reliable;
    if !link.arrive(Arrival {
        carrier,
        channel,
        packet,
    }) {
        link.close("the page does not take the packets");
    }
}
