use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Mutex;

use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
    scene: Rc<u32>,
    log: Option<RefCell<Vec<String>>>,
    fine: Mutex<RefCell<u32>>,
    sound: *const u8,
    on_hit: Box<dyn Fn(i32)>,
    on_heal: Box<dyn Fn(i32) + Send + Sync>,
}

fn main() {}
