#[network_calls]
impl Player {
    #[command(requires_ownership = false, rate = 5)]
    pub fn fire(&mut self, ctx: &CallContext, at: Vector3) {}
    #[client_rpc(target = not_owner, channel = 1)]
    fn shake(&mut self, power: f32) {}
    #[target_rpc]
    fn hush(&mut self) {}
    /// Something has burst.
    #[sync_event]
    pub fn burst(at: Vector3, by: String);
}
