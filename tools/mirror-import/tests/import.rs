//! `mirror-import`: a project made by hand, the module that is written for it, and a server of that module in a
//! recorded session.
//!
//! ```text
//! cargo run -p mirror-import -- tools/mirror-import/tests/import/project --out tools/mirror-import/tests/import/game.rs
//! ```

mod import {
    mod asset_ids;
    mod game;
    mod initial_values;
    mod json;
    mod live;
    mod models;
    mod module;
    mod program;
    mod scene;
    mod script;
    mod server;
    mod session;
    mod sources;
}
