use std::any::Any;
use std::sync::Arc;

use syncvar::prelude::*;

#[derive(SyncValue, Clone)]
struct Buff {
    id: u32,
    extra: Arc<dyn Any + Send + Sync>,
}

fn main() {}
