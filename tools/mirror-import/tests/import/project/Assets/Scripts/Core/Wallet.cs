using Mirror;

public class Wallet : NetworkBehaviour
{
    [SyncVar(hook = "OnGold")]
    public int gold = 10;

    [SyncVar]
    public ulong secret = 1UL;

    void OnGold(int before, int after) { }
}
