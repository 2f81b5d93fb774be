using Mirror;

public class Door : NetworkBehaviour
{
    [SyncVar(hook = nameof(OnOpen))]
    public bool open;

    void OnOpen(bool before, bool after) { }

    [Command(requiresAuthority = false)]
    public void CmdToggle() => open = !open;
}
