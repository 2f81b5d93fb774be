#[network_calls]
impl Player {
    #[command(mirror = "System.Void Game.Player::CmdFire(System.Int32)", requires_ownership = false)]
    fn fire(&mut self, at: i32) {}
    #[client_rpc(mirror = "System.Void Game.Player::RpcStop()")]
    fn stop(&mut self) {}
}
