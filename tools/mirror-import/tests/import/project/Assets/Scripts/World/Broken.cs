using Mirror;

public class BeforeError : NetworkBehaviour { [SyncVar] int a; }

public class Broken : NetworkBehaviour
{
    [SyncVar] int good;
    [SyncVar] int = 3;
}
