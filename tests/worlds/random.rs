//! Random worlds in which everything is used at once: rules of fields, owners that write, calls both
//! ways, callbacks, data beside the fields, scene objects, parents, references, budgets, interest and
//! a local client, over slow links, with clients that come and go, and one that lies.

#![allow(
    clippy::manual_is_multiple_of,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    clippy::struct_excessive_bools,
    clippy::needless_pass_by_value,
    reason = "what is short is easier to read here"
)]

mod action;
mod check;
mod damage;
mod found;
mod hostile;
mod line;
mod lossy;
mod objects;
mod recorded;
mod world;
