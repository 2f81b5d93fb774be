using Mirror;

public class InhBase : NetworkBehaviour
{
    [SyncVar] public int baseA = 1;
    [SyncVar] protected string baseB = "b";
    public readonly SyncList<int> baseList = new SyncList<int>();
}

// A level without anything of its own.
public abstract class InhMidEmpty : InhBase { }

public class InhMid : InhMidEmpty
{
    [SyncVar] public float mid = 0.5f;
    public readonly SyncHashSet<string> midSet = new SyncHashSet<string>();
}
