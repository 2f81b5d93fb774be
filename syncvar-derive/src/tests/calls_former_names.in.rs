#[network_calls]
impl Player {
    #[command(was = "shoot")]
    fn fire(&mut self) {}
}
