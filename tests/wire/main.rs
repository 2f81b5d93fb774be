//! Bytes: messages, values and their limits.

mod batches;
mod codecs;
mod datagrams;
mod examples;
mod golden;
mod handshake;
mod inputs;
mod late_messages;
mod long;
mod netcode;
mod network_time;
mod rates;
mod render_time;
mod robustness;
mod schema;
mod too_long;
mod typescript;
mod unsendable;
mod untyped;
mod update_loop;
mod values;
