#[network_calls]
impl Player {
    #[command(unreliable)]
    fn aim(&mut self, at: Vector3) {}

    #[client_rpc(unreliable, after_state)]
    fn explode(&mut self) {}
}
