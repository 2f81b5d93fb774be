//! A WebSocket: each packet is one binary message, behind the number of its channel.

use std::rc::Rc;

use bytes::{Buf, Bytes};
use js_sys::{Promise, Uint8Array};
use syncvar_runtime::Channel;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::inbox::{Inbox, InboxPacket};
use crate::js::{self, JsResult};

/// Bytes of output in the browser above which no more is sent.
const MAX_BUFFERED: f64 = 1024.0 * 1024.0;

/// A handler of an event.
type Handler = Closure<dyn FnMut(JsValue)>;

/// A WebSocket of the browser.
#[derive(Clone)]
pub(crate) struct Socket {
    socket: JsValue,
    /// Handlers live as long as the socket.
    _handlers: Rc<[Handler; 2]>,
}

impl Socket {
    /// Opens a WebSocket whose packets arrive in an inbox.
    pub(crate) async fn open(url: &str, inbox: &Inbox) -> JsResult<Self> {
        let socket = js::construct("WebSocket", &[url.into()])?;
        js::set(&socket, "binaryType", &"arraybuffer".into())?;
        let receiver = inbox.clone();
        let on_message = Handler::new(move |event: JsValue| {
            if let Err(fault) = receive(&receiver, &event) {
                receiver.end(fault);
                let socket = js::get(&event, "target").unwrap_or_default();
                let _ = js::call(&socket, "close", &[]);
            }
        });
        js::set(&socket, "onmessage", on_message.as_ref())?;
        let ended = inbox.clone();
        let on_close = Handler::new(move |event: JsValue| {
            let is_clean = js::get(&event, "wasClean").is_ok_and(|it| it.is_truthy());
            ended.end(if is_clean {
                ""
            } else {
                "the WebSocket was cut"
            });
        });
        js::set(&socket, "onclose", on_close.as_ref())?;
        let opened = Promise::new(&mut |resolve, reject| {
            let _ = js::set(&socket, "onopen", &resolve);
            let _ = js::set(&socket, "onerror", &reject);
        });
        let opened = js::settled(opened.into()).await;
        let socket = Self {
            socket,
            _handlers: Rc::new([on_message, on_close]),
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

/// Handles a message. An error ends the connection.
fn receive(inbox: &Inbox, event: &JsValue) -> Result<(), &'static str> {
    let data = js::get(event, "data").unwrap_or_default();
    if !data.is_instance_of::<js_sys::ArrayBuffer>() {
        return Err("a text message");
    }
    // A socket cannot wait.
    if !inbox.has_room() {
        return Err("the page does not take the packets");
    }
    let bytes = Uint8Array::new(&data);
    let longest = inbox.options().max_packet.saturating_add(1);
    if usize::try_from(bytes.length()).is_ok_and(|length| length > longest) {
        return Err("a message is too long");
    }
    let mut packet = Bytes::from(bytes.to_vec());
    if packet.len() < 2 {
        return Err("no packet in a message");
    }
    let channel = packet.get_u8();
    let carrier = Channel::Reliable;
    inbox.push(InboxPacket {
        carrier,
        channel,
        packet,
    });
    Ok(())
}
