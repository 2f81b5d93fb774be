//! Random worlds for a page: a server, the client in TypeScript, and a client in Rust that receives the same packets.
//!
//! The page runs outside of the process, which reads a line of JSON and answers with a line: packets up, packets down. Time
//! is virtual, and a world depends on its seed alone. The client in Rust, the *twin*, sends nothing: what the page sends
//! decides what the server sends. At rest the twin has the objects of the server, and the page those of the twin.
//!
//! ```text
//! page                          process
//! {"world": 7}              ->  a world of seed 7
//!                           <-  {"transport": "websocket", "now": 60, "ms": 0}
//! {"opened": true, "up": [[0, 0, "1400..."]]}
//!                           ->  server.update()
//!                           <-  {"ms": 16, "down": [[0, 0, "..."]], "acts": [{"set": [5, "B", "f", 3]}]}
//! ...
//!                           <-  {"check": {"objects": [...], "heard": [...]}, "ends": true}
//! ```
//!
//! A packet is whether it is a datagram, its channel, and its bytes.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "what is short is easier to read here"
)]

mod expected;
mod game;
mod json;
mod page;
mod radio;
mod types;
mod values;
mod world;

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value as Json, json};
use world::World;

/// Answers the lines of a page until its last one.
///
/// # Panics
///
/// When a line is no JSON, and when a stream fails.
pub fn serve(lines: impl BufRead, mut answers: impl Write) {
    let mut world = None;
    for line in lines.lines() {
        let line: Json = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let answer = catch_unwind(AssertUnwindSafe(|| match line["world"].as_u64() {
            Some(seed) => world.insert(World::new(seed)).begin(),
            None => world.as_mut().expect("a world").step(&line),
        }));
        let answer = answer.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            json!({ "fails": text.unwrap_or_default() })
        });
        writeln!(answers, "{answer}").expect("an answer");
        answers.flush().expect("an answer");
    }
}
