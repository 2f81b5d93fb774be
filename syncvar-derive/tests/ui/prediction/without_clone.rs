use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Disc {
    #[sync_var]
    x: SyncVar<f32>,
}

fn step(disc: &mut Disc, input: &f32, _tick: u64) {
    disc.x += *input;
}

fn begin(client: &mut NetworkClient, id: NetId) {
    client.predict(id, step).unwrap();
}

fn main() {}
