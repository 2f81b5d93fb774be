use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Cell<T: SyncValue> {
    #[sync_var]
    value: SyncVar<T>,
}

#[network_calls]
impl<T: SyncValue + Default> Cell<T> {
    #[command]
    fn reset(&mut self) {
        self.value.set(T::default());
    }
}

fn main() {
    let mut server = NetworkServer::new(Prefabs::new());
    let _ = server.calls::<Cell<u32>>(NetId(1));
}
