#[network_calls]
impl Player {
    /// Something has burst.
    #[sync_event]
    pub fn burst(at: Vector3, by: String);
    fn other(&self) {}
}
