//! `MirrorClient`: joins a Mirror server. No socket, no clock, no thread.
