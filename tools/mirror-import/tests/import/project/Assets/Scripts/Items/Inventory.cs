using System;
using System.Collections.Generic;
using Mirror;

namespace Game.Items
{
    using Game.Combat;

    public struct Item : IEquatable<Item>
    {
        public int id;
        public Rarity rarity;
        public List<string> runes;

        public bool Equals(Item other) => id == other.id;
        public enum Rarity : sbyte { Common, Rare = -1 }
    }

    public struct Key { public int x, y; public string zone; }

    [Serializable] public class ScoreList : SyncList<float> { }

    /// A generic base without variables: each derived class has its own collections.
    public abstract class Container<T> : NetworkBehaviour where T : struct
    {
        public readonly SyncList<T> content = new SyncList<T>();
        protected int capacity = 16;
    }

    public class Inventory : Container<Item>
    {
        public readonly SyncDictionary<Key, Item> placed = new SyncDictionary<Key, Item>();
        public readonly SyncDictionary<Item.Rarity, List<Effect>> effects = new();
        public readonly ScoreList scores = new ScoreList();
        public readonly SyncList<int> slots = new SyncList<int> { 1, 2, 3 };
        [SyncVar] Item held;
        [SyncVar] Item? spare;
        [SyncVar] HashSet<int> seen;

        [Command] public void CmdPlace(Key key, Item item) { }
        [Command] public virtual void CmdDrop(int slot) { }
    }

    public class Backpack : Inventory
    {
        [SyncVar] public float weight = Weights.Empty + 0.25f;

        [Command] public override void CmdDrop(int slot) => base.CmdDrop(slot);
    }

    public static class Weights { public const float Empty = 1.5f; }
}
