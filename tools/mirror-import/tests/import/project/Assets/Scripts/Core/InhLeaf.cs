using Mirror;

public sealed class InhLeaf : InhMid
{
    [SyncVar] public byte leafA = 7;
    [SyncVar] public long leafB = -1;
    public readonly SyncDictionary<int, string> leafDict = new SyncDictionary<int, string>();
}
