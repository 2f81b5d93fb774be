//! A session of WebTransport: a stream of frames, and datagrams.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use js_sys::{Array, JSON, Uint8Array};
use syncvar_runtime::{Channel, PacketLimits};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;

use crate::frames::{FrameReader, frame};
use crate::inbox::{Inbox, InboxPacket};
use crate::js::{self, JsResult};

/// Bytes of output in the browser above which no more is sent.
const MAX_BUFFERED: usize = 1 << 20;
/// Longest packet in a datagram, in bytes: as natively.
const MAX_DATAGRAM: usize = 1200;
/// Preferred size of a packet in the stream, in bytes.
const BATCH: usize = 16 * 1024;

/// A session of the browser.
#[derive(Clone)]
pub(crate) struct Session {
    object: JsValue,
    /// Reader and writer of the stream, and of the datagrams.
    stream: (JsValue, JsValue),
    datagrams: (JsValue, JsValue),
    /// Bytes that the browser has not taken.
    buffered: Rc<Cell<usize>>,
}

impl Session {
    /// Opens a session with its stream, within a time.
    pub(crate) async fn open(
        url: &str,
        cert_hashes: Option<&str>,
        limit: Duration,
    ) -> JsResult<Self> {
        let late = || JsValue::from_str("WebTransport was not ready in time");
        // Hashes serve WebTransport alone.
        js::get(&js_sys::global(), "WebTransport")?.dyn_into::<js_sys::Function>()?;
        let started = js_sys::Date::now();
        let hashes = match cert_hashes {
            Some(url) => {
                let fetched = wasm_bindgen_futures::future_to_promise(fetch_hashes(url.to_owned()));
                let hashes = js::within(limit, fetched.into()).await;
                hashes.ok().flatten().unwrap_or_else(|| Array::new().into())
            }
            None => Array::new().into(),
        };
        let hashes: Array = hashes.dyn_into()?;
        let options = if hashes.length() == 0 {
            js::object(&[])?
        } else {
            js::object(&[("serverCertificateHashes", hashes.into())])?
        };
        let session = js::construct("WebTransport", &[url.into(), options])?;
        let spent = Duration::from_secs_f64(((js_sys::Date::now() - started) / 1000.0).max(0.0));
        let opening = open_stream(session.clone());
        let opening = wasm_bindgen_futures::future_to_promise(opening);
        let opened = js::within(limit.saturating_sub(spent), opening.into()).await;
        let Some(stream) = opened? else {
            let _ = js::call(&session, "close", &[]);
            return Err(late());
        };
        let datagrams = js::get(&session, "datagrams")?;
        Ok(Self {
            stream: halves(&stream)?,
            datagrams: halves(&datagrams)?,
            object: session,
            buffered: Rc::default(),
        })
    }

    /// Reads the stream and the datagrams into an inbox, until the end of the session.
    pub(crate) fn read(&self, inbox: &Inbox) {
        let (session, ended) = (self.clone(), inbox.clone());
        spawn_local(async move {
            match session.read_stream(&ended).await {
                Ok(()) => ended.end(""),
                Err(error) => ended.end(&js::text(&error)),
            }
        });
        let (session, inbox) = (self.clone(), inbox.clone());
        spawn_local(async move {
            // The stream reports the end.
            let _ = session.read_datagrams(&inbox).await;
        });
    }

    async fn read_stream(&self, inbox: &Inbox) -> JsResult<()> {
        let mut frames = FrameReader::new(inbox.options().max_packet);
        while let Some(bytes) = next(&self.stream.0).await? {
            frames.extend(&bytes);
            loop {
                let packet = frames.next_packet();
                let packet = packet.map_err(|error| JsValue::from(error.to_string()))?;
                let Some((channel, packet)) = packet else {
                    break;
                };
                let carrier = Channel::Reliable;
                inbox.push(InboxPacket {
                    carrier,
                    channel,
                    packet,
                });
            }
            // The stream waits in the server meanwhile.
            inbox.room().await?;
            if inbox.is_over() {
                break;
            }
        }
        Ok(())
    }

    async fn read_datagrams(&self, inbox: &Inbox) -> JsResult<()> {
        while let Some(bytes) = next(&self.datagrams.0).await? {
            let mut packet = Bytes::from(bytes);
            // A datagram beyond the page's room is lost.
            if packet.len() < 2 || !inbox.has_room() {
                continue;
            }
            let channel = packet.get_u8();
            let carrier = Channel::Unreliable;
            inbox.push(InboxPacket {
                carrier,
                channel,
                packet,
            });
        }
        Ok(())
    }

    pub(crate) fn limits(&self, stream: PacketLimits) -> PacketLimits {
        let datagrams = js::get(&self.object, "datagrams").unwrap_or_default();
        let longest = js::number(&datagrams, "maxDatagramSize").unwrap_or(0.0);
        // A byte is the channel.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of bytes"
        )]
        let longest = (longest.max(0.0) as usize).saturating_sub(1);
        let longest = longest.min(MAX_DATAGRAM);
        PacketLimits {
            batch_threshold: BATCH.min(stream.max_reliable),
            max_unreliable: if longest > 0 {
                longest
            } else {
                stream.max_unreliable
            },
            datagrams: longest > 0,
            ..stream
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.buffered.get() > MAX_BUFFERED
    }

    pub(crate) fn send(&self, delivery: Channel, channel: u8, packet: &[u8]) -> JsResult<()> {
        match delivery {
            Channel::Unreliable => {
                let datagram = [&[channel], packet].concat();
                write(&self.datagrams.1, &datagram).map(|_| ())
            }
            Channel::Reliable => {
                let Some(frame) = frame(channel, packet) else {
                    return Err(JsValue::from_str("a packet is too long"));
                };
                let (length, buffered) = (frame.len(), Rc::clone(&self.buffered));
                buffered.set(buffered.get() + length);
                let written = write(&self.stream.1, &frame)?;
                spawn_local(async move {
                    let _ = js::settled(written).await;
                    buffered.set(buffered.get() - length);
                });
                Ok(())
            }
        }
    }

    /// Finishes the stream: the server then closes the session.
    pub(crate) fn close(&self) {
        let session = self.clone();
        spawn_local(async move {
            let _ = js::call_async(&session.stream.1, "close", &[]).await;
            let closed = js::get(&session.object, "closed").unwrap_or_default();
            // A server that does not answer.
            let _ = js::within(Duration::from_secs(1), closed).await;
            let _ = js::call(&session.object, "close", &[]);
        });
    }
}

/// Returns the hashes of the certificates for the options of WebTransport.
async fn fetch_hashes(url: String) -> JsResult {
    let response = js::call_async(&js_sys::global(), "fetch", &[url.into()]).await?;
    let text = js::call_async(&response, "text", &[]).await?;
    let texts = JSON::parse(&text.as_string().unwrap_or_default())?;
    let hashes = Array::new();
    for text in Array::from(&texts).iter() {
        let digits = text.as_string().unwrap_or_default();
        let bytes: Option<Vec<u8>> = (0..digits.len() / 2)
            .map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok())
            .collect();
        let bytes = bytes.ok_or_else(|| JsValue::from_str("a hash has hexadecimal digits"))?;
        let hash = js::object(&[
            ("algorithm", "sha-256".into()),
            ("value", js::bytes(&bytes)),
        ])?;
        hashes.push(&hash);
    }
    Ok(hashes.into())
}

/// Waits for a session, and opens its stream.
async fn open_stream(session: JsValue) -> JsResult {
    js::settled(js::get(&session, "ready")?).await?;
    js::call_async(&session, "createBidirectionalStream", &[]).await
}

/// Returns the reader and the writer of a stream, or of datagrams.
fn halves(stream: &JsValue) -> JsResult<(JsValue, JsValue)> {
    let reader = js::call(&js::get(stream, "readable")?, "getReader", &[])?;
    let writer = match js::get(stream, "writable") {
        Ok(writable) if writable.is_object() => writable,
        // Newer browsers create one writable of the datagrams on request.
        _ => js::call(stream, "createWritable", &[])?,
    };
    let writer = js::call(&writer, "getWriter", &[])?;
    Ok((reader, writer))
}

/// Returns the next bytes of a reader. `None` is the end.
async fn next(reader: &JsValue) -> JsResult<Option<Vec<u8>>> {
    let read = js::call_async(reader, "read", &[]).await?;
    if js::get(&read, "done")?.is_truthy() {
        return Ok(None);
    }
    let bytes: Uint8Array = js::get(&read, "value")?.dyn_into()?;
    Ok(Some(bytes.to_vec()))
}

/// Writes bytes; the promise settles when the browser has taken them.
fn write(writer: &JsValue, bytes: &[u8]) -> JsResult {
    let written = js::call(writer, "write", &[js::bytes(bytes)])?;
    // A failed write is reported by the reader.
    let promise: js_sys::Promise = written.dyn_into()?;
    let settled = wasm_bindgen_futures::future_to_promise(async move {
        let _ = js::settled(promise.into()).await;
        Ok(JsValue::UNDEFINED)
    });
    Ok(settled.into())
}
