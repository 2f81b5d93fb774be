//! `MirrorServer`: objects, connections, and who observes what. No socket, no clock, no thread.
