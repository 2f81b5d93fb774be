//! Data beside the fields: one function that writes on the server and reads on a client.

mod failing;
mod serializable;
mod settings;
mod travelling;
