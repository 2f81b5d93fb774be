#[network_calls]
impl Player {
    #[command(requires_ownership = false, rate = 5)]
    pub fn fire(&mut self, ctx: &CallContext, at: Vector3) {}
    #[command]
    fn stop(&mut self) {}
}
