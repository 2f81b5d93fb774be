//! The arena in a page, with the client of Rust: prefabs that agree with the server's, and the page of
//! `examples/arena/web` over `syncvar.js` of this folder.

#[allow(dead_code, reason = "some of it is the server's alone")]
#[path = "../../arena/body.rs"]
mod body;
#[allow(dead_code, reason = "the calls of the server")]
mod prefabs;

use std::time::Duration;

use js_sys::Array;
use syncvar::prelude::*;
use syncvar::values::Vector2;
use syncvar_web::{Servers, Transport, WebOptions, WebPeer};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use body::Body;
use prefabs::{Crown, Fighter, Item, Stance};

/// A client of the arena and its connection.
#[wasm_bindgen]
pub struct Game {
    client: NetworkClient,
    peer: WebPeer,
    /// Newest tick of the server.
    tick: u64,
    /// Time of the last frame.
    now: Duration,
    /// Reason of the last lost connection.
    reason: String,
}

#[wasm_bindgen]
impl Game {
    /// Makes a client for the server at a host with its port, with one transport or both.
    #[wasm_bindgen(constructor)]
    pub fn new(host: &str, transport: Option<String>) -> Self {
        let prefabs = Prefabs::new()
            .register::<(Fighter, Body)>("fighter")
            .register::<Crown>("crown");
        let mut servers = Servers::at(host);
        match transport.as_deref() {
            Some("websocket") => servers.webtransport = None,
            Some("webtransport") => servers.websocket = None,
            _ => {}
        }
        Self {
            client: NetworkClient::new(prefabs),
            peer: WebPeer::new(servers, WebOptions::default()),
            tick: 0,
            now: Duration::ZERO,
            reason: String::new(),
        }
    }

    /// Runs a frame of the animation at a time in milliseconds. Returns the notes of the fighters: their ids and
    /// lines.
    pub fn frame(&mut self, milliseconds: f64) -> Array {
        self.now = Duration::from_secs_f64(milliseconds.max(0.0) / 1000.0);
        if let Err(error) = self.peer.receive(&mut self.client, self.now) {
            self.reason = error.to_string();
        }
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::Tick { tick, .. } => self.tick = tick,
                ClientEvent::Ready => self.reason.clear(),
                _ => {}
            }
        }
        let seen = Array::new();
        let ids: Vec<NetId> = self.client.identities().map(|it| it.net_id()).collect();
        for id in ids {
            let Ok(mut fighter) = self.client.get_mut::<Fighter>(id) else {
                continue;
            };
            for line in std::mem::take(&mut fighter.seen) {
                seen.push(&Array::of2(&id.0.into(), &line.into()));
            }
        }
        seen
    }

    /// Sends the writes and commands of the frame.
    pub fn transmit(&mut self) {
        self.client.update(self.now);
        self.peer.transmit(&mut self.client, self.now);
    }

    /// Returns the objects. A fighter: id, whether it is this player's, name, health, stance, buffs, pack, x, y. The crown: id,
    /// whether it is this player's, the wearer, the motto.
    pub fn objects(&self) -> Array {
        let objects = self.client.identities();
        objects.filter_map(|it| self.object(it.net_id())).collect()
    }

    /// Returns the newest tick of the received objects.
    pub fn received_tick(&self) -> f64 {
        self.tick as f64
    }

    /// Returns the server's tick at a time in milliseconds, with its fraction; `undefined` before the first answer
    /// to a ping.
    pub fn tick(&self, milliseconds: f64) -> Option<f64> {
        let now = Duration::from_secs_f64(milliseconds.max(0.0) / 1000.0);
        let time = self.client.network_time_at(now.max(self.now))?.time;
        let whole = self.client.network_time_at(self.now)?;
        // The rate is that of the server.
        let rate = whole.tick as f64 / whole.time.as_secs_f64().max(0.001);
        Some(time.as_secs_f64() * rate)
    }

    /// Returns the round trip to the server in milliseconds.
    pub fn ping(&self) -> Option<f64> {
        let trip = self.client.round_trip_time()?;
        Some(trip.as_secs_f64() * 1000.0)
    }

    /// Returns whether the server has accepted this client.
    pub fn is_ready(&self) -> bool {
        self.client.is_connected()
    }

    /// Returns the transport of the connection.
    pub fn transport(&self) -> Option<String> {
        Some(match self.peer.transport()? {
            Transport::WebTransport => "webtransport".to_owned(),
            Transport::WebSocket => "websocket".to_owned(),
        })
    }

    /// Returns the reason of the last lost connection.
    pub fn reason(&self) -> String {
        self.reason.clone()
    }

    /// Calls a command of a fighter, or of the crown: its name, and its argument.
    pub fn call(&mut self, id: u32, command: &str, argument: JsValue) {
        let id = NetId(id);
        let object = || NetRef::from(NetId(argument.as_f64().unwrap_or(0.0) as u32));
        // A refused call is none.
        let _ = match command {
            "introduce" => {
                let name = argument.as_string().unwrap_or_default();
                self.client.calls::<Fighter>(id).introduce(name)
            }
            "strike" => self.client.calls::<Fighter>(id).strike(object()),
            "use_item" => self.client.calls::<Fighter>(id).use_item(),
            "take" => self.client.calls::<Crown>(id).take(object()),
            _ => Ok(()),
        };
    }

    /// Sets the direction of a body.
    pub fn set_heading(&mut self, id: u32, x: f32, y: f32) {
        if let Ok(mut body) = self.client.get_mut::<Body>(NetId(id)) {
            body.heading.set(Vector2::new(x, y));
        }
    }

    /// Sets the stance of a fighter.
    pub fn set_on_guard(&mut self, id: u32, is_on_guard: bool) {
        if let Ok(mut fighter) = self.client.get_mut::<Fighter>(NetId(id)) {
            let stance = if is_on_guard {
                Stance::OnGuard
            } else {
                Stance::Open
            };
            fighter.stance.set(stance);
        }
    }

    /// Leaves the game.
    pub fn close(&mut self, text: &str) {
        self.client.disconnect(text);
        self.transmit();
    }
}

impl Game {
    fn object(&self, id: NetId) -> Option<JsValue> {
        let own = self.client.is_owner(id).into();
        let values = if let Some(fighter) = self.client.get::<Fighter>(id) {
            let body = self.client.get::<Body>(id)?;
            let stance = match *fighter.stance {
                Stance::Open => "Open",
                Stance::OnGuard => "OnGuard",
            };
            let buffs = fighter.buffs.iter();
            let buffs: Array = buffs
                .map(|buff| Array::of2(&(&*buff.name).into(), &buff.strength.into()))
                .collect();
            let pack = fighter.pack.iter().map(|item| {
                JsValue::from_str(match item {
                    Item::Potion => "Potion",
                    Item::Whetstone => "Whetstone",
                })
            });
            let pack: Array = pack.collect();
            let place = *body.position;
            [
                id.0.into(),
                own,
                fighter.name.as_str().into(),
                (*fighter.health).into(),
                stance.into(),
                buffs.into(),
                pack.into(),
                place.x.into(),
                place.y.into(),
            ]
            .iter()
            .collect::<Array>()
        } else {
            let crown = self.client.get::<Crown>(id)?;
            Array::of4(
                &id.0.into(),
                &own,
                &crown.wearer.id().0.into(),
                &crown.motto.as_str().into(),
            )
        };
        Some(values.into())
    }
}
