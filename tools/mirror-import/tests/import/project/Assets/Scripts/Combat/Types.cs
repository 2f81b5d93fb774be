using System;

namespace Game.Combat
{
    public enum Team { None = 0, Red = 10, Blue, [Obsolete] Azure = Blue }

    [Flags]
    public enum Status : ushort
    {
        None = 0,
        Burning = 1 << 0,
        Frozen = 1 << 1,
        Stunned = Frozen | 1 << 4,
    }

    public enum Slot : long { First = 1, Second }

    /// <summary>A hit, with where it came from.</summary>
    public struct Hit
    {
        public const int Most = 9;
        public int amount;
        public Team from;
        public Status effects;
        public UnityEngine.Vector3 at;
        public float Total => amount;
    }

    // A class: null travels as one byte.
    public class Effect
    {
        public string name;
        public float seconds = 2.5f;
    }

    public class StackedEffect : Effect
    {
        public int stacks;
    }
}
