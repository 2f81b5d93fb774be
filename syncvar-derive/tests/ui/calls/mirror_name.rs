use syncvar::prelude::*;

#[derive(NetworkBehaviour)]
struct Player;

#[network_calls]
impl Player {
    #[command(mirror = "CmdFire")]
    fn fire(&mut self) {}
    #[client_rpc(mirror = "System.Void Player.RpcStop()")]
    fn stop(&mut self) {}
    #[client_rpc(mirror = "System.Void Player::RpcGo(System.Int32, System.Int32)")]
    fn go(&mut self) {}
    #[target_rpc(mirror = 5)]
    fn whisper(&mut self) {}
    #[sync_event(mirror = "System.Void Player::EventBang()")]
    fn bang();
}

fn main() {}
