using Mirror;

public class SyncObjs : NetworkBehaviour
{
    public readonly SyncList<int> ints = new SyncList<int>();
    public readonly SyncList<string> strings = new SyncList<string>();
    public readonly SyncList<Item> items = new SyncList<Item>();
    public readonly SyncDictionary<int, string> dict = new SyncDictionary<int, string>();
    public readonly SyncHashSet<string> hset = new SyncHashSet<string>();
    public readonly SyncSortedSet<int> sset = new SyncSortedSet<int>();
    [SyncVar] public int after = 42;
}
