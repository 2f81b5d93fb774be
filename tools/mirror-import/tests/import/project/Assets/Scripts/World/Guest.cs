using System;
using Mirror;
using UnityEngine;

namespace Game.World
{
    public class Pile<T> : SyncList<T> { }
    public class Ledger<TKey, TValue> : SyncDictionary<TKey, TValue> { }
    public class Fruits : Pile<Fruit> { }

    public struct Fruit
    {
        public int count;
        public string name;

        public Fruit(int count, string name) { this.count = count; this.name = name; }
        public Fruit(int count) { this.count = count; name = "fig"; }
    }

    public class Basket
    {
        public int size = 4;
        public Fruit best;
        const int Many = 9;

        public Basket() => size = Many;
        public Basket(Fruit best) => this.best = best;
    }

    public class Guest : NetworkRoomPlayer
    {
        [SyncVar] public Color32 shirt = Color.white;
        [SyncVar] public Color32 hat = Color.gray;
        [SyncVar] public Color skin = new Color32(255, 51, 0, 255);
        [SyncVar] public Vector4 glow = Color.red;
        [SyncVar] public Vector3 flat = new Vector2(1, 2);
        [SyncVar] public Vector2 grid = Vector2Int.right;
        [SyncVar] public Vector3 spot = Vector3.up * 2;
        [SyncVar] public Vector2 nose = -new Vector2(1, 2) / 4 + Vector2.one;
        [SyncVar] public uint mask = ~0u;
        [SyncVar] public uint layers = ~(1u << 3);
        [SyncVar] public ulong wide = ~0u;
        [SyncVar] public int lowest = 1 << 31;
        [SyncVar] public byte rest = unchecked((byte)-1);
        [SyncVar] public double turn = Math.PI / 2;
        [SyncVar] public float angle = (float)(Math.PI / 2);
        [SyncVar] public float half = (float)1 / 2;
        [SyncVar] public Fruit fruit = new Fruit(3, "apple");
        [SyncVar] public Fruit fig = new Fruit(2);
        [SyncVar] public Fruit pear = new Fruit { name = "pear" };
        [SyncVar] public Basket basket = new Basket();
        [SyncVar] public Basket full = new Basket(new Fruit(1)) { size = 5 };
        public readonly Pile<string> pile = new Pile<string>();
        public readonly Ledger<int, Fruit> ledger = new();
        public readonly Fruits fruits = new Fruits();

        [Command] public void CmdRename(string name) { }
    }

    public class Champion : Guest { [SyncVar] public int titles = 1; }
}
