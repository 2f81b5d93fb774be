//! Telepathy and KCP, on tokio.
