//! Settings of a server and of a client.
