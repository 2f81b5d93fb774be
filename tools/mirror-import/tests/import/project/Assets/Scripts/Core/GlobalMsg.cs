using Mirror;

public struct GlobalMsg : NetworkMessage
{
    public int a;
    public Item item;
}

public struct Item { public int id; public string name; public float weight; }
