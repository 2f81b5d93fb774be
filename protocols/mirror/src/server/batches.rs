//! Batches of the server: the bytes of an update on their way into transport messages.
//!
//! A transport message of Mirror is a batch: the time of the sender in 8 bytes, then messages behind their lengths.
//! Messages for a single connection (spawns, calls, answers) are written into the open batches of its
//! [`ConnectionOutbox`](outbox::ConnectionOutbox) at once. The deltas of an update are equal for all observers of an object: they are written
//! once, into the [frame](frame::AudienceFrame) of the audience, which is cut into batches once for each setting of a
//! connection.
//!
//! ```text
//! spawn, call  ──────────────▶  outbox: [time|m|m|m] [time|m ...   open batch
//!                                                       │
//! delta  ──▶  frame of the audience: |m|m|m|m|m|        │  end of the update
//!                  │ cut                  │ gather      │
//!                  ▼                      ▼             ▼
//!             [time|m|m|m]   [time|m|m]   [time|m ... |m|m|m] [time|m|m]
//!             shared by all connections   for this connection, by reference
//! ```
//!
//! A connection with a single audience, without exceptions and without an open batch of this moment takes the cut batches
//! as they are: an update costs it a reference count. Every other connection gathers: slices of its outbox, of the frames
//! and of its exceptions become the chunks of its batches, without a copy.
//!
//! An [exception](outbox::Exception) replaces messages of a frame for the owner of an object, who reads more or fewer
//! components than the observers. Its message is a slice of a [chunk](chunk::MessageChunk), so that an owner costs no
//! allocation for each object.
//!
//! Three rules come from Mirror's `Batcher`, and the recordings depend on them. A message joins the open batch if both have
//! the same time and the batch stays within the threshold. A message longer than the threshold is alone in its batch. The
//! channel that a connection used first stays the first of each update.

pub(crate) mod chunk;
pub(crate) mod frame;
pub(crate) mod outbox;
