//! Batches: what a transport carries, many messages behind one time.
