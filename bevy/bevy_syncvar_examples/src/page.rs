//! A client in a page: keys that are held down are a line, the screen is the document of `page/index.html`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io;
use std::sync::mpsc;

use bevy_app::Last;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::web::{Servers, WebOptions, WebPeer};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Document, Event, KeyboardEvent};

use crate::{Example, Screen, run};

/// Lines of the log.
const LINES: usize = 8;

pub(crate) fn main(example: &Example) -> io::Result<()> {
    let missing = || io::Error::other("no page");
    let window = web_sys::window().ok_or_else(missing)?;
    let location = window.location();
    let (host, query) = (location.host(), location.search());
    let mut servers = Servers::at(&host.map_err(|_| missing())?);
    match query.unwrap_or_default().as_str() {
        "?transport=websocket" => servers.webtransport = None,
        "?transport=webtransport" => servers.websocket = None,
        _ => {}
    }
    let peer = WebPeer::new(servers, WebOptions::default());
    let mut app = (example.client)(ClientPlugin::new(peer));
    app.add_systems(Last, draw);

    let (sender, typed) = mpsc::channel();
    let mut held = BTreeSet::new();
    let on_event = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
        let is_changed = match event.dyn_ref::<KeyboardEvent>() {
            Some(key) if key.type_() == "keydown" => held.insert(key.key()),
            Some(key) => held.remove(&key.key()),
            // The page has lost the keyboard.
            None => {
                held.clear();
                true
            }
        };
        if is_changed {
            let letters = held.iter().filter(|key| key.len() == 1);
            // The app lives as long as the page.
            let _ = sender.send(letters.map(String::as_str).collect());
        }
    });
    for name in ["keydown", "keyup", "blur"] {
        let function = on_event.as_ref().unchecked_ref();
        let added = window.add_event_listener_with_callback(name, function);
        added.map_err(|_| missing())?;
    }
    on_event.forget();
    run(app, typed);
    Ok(())
}

/// Draws the screen and the state of the connection.
fn draw(screen: Res<Screen>, client: Option<Res<Client>>) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return;
    };
    let mut picture = String::new();
    for ([x, y], is_large, is_own) in &screen.picture {
        let radius = if *is_large { 0.5 } else { 0.15 };
        let class = if *is_own { "own" } else { "rival" };
        let (x, y) = (f64::from(*x), -f64::from(*y));
        // A `String` takes any text.
        let _ = write!(picture, "<circle class={class} r={radius} cx={x} cy={y} />");
    }
    set(&document, "picture", &picture);
    let first = screen.lines.len().saturating_sub(LINES);
    set(&document, "log", &screen.lines[first..].join("<br>"));
    let status = match client {
        Some(client) if client.is_connected() => {
            let stats = client.prediction_stats();
            let trip = client.round_trip_time().unwrap_or_default().as_millis();
            format!(
                "ready, {trip} ms, {} corrections in {} ticks",
                stats.corrections, stats.steps
            )
        }
        _ => "connecting".to_owned(),
    };
    set(&document, "status", &status);
}

fn set(document: &Document, id: &str, html: &str) {
    let element = document.get_element_by_id(id);
    if let Some(element) = element.filter(|element| element.inner_html() != html) {
        element.set_inner_html(html);
    }
}
