#[derive(NetworkBehaviour)]
#[network_behaviour(channel = unreliable, redundancy = 1, gather = false)]
struct Player {
    #[sync_var(write = owner, check = moves_legally)]
    position: SyncVar<Vector3>,
    #[sync_var(write = owner, with = Half, check = rules::in_range)]
    aim: SyncVar<f32>,
}
