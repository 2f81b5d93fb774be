#[network_calls]
impl Player {
    #[client_rpc(target = not_owner, channel = 1)]
    fn shake(&mut self, power: f32) {}
    #[target_rpc]
    fn hush(&mut self) {}
}
