using System;
using Mirror;

namespace Game.World
{
    public class Clock : NetworkBehaviour
    {
        [SyncVar] DateTime started;
        [SyncVar] decimal price;
        [SyncVar] byte[] seed;
        [SyncVar] string[] names = { "a", "b" };
        [SyncVar] sbyte zone = -1;
        [SyncVar] ushort year = 2_026;
        [SyncVar] uint ticks = 0xFFFF_FFFF;
        [SyncVar] Item prize;

        public struct Item { public Day day; public bool won; }
        public enum Day { Monday, Sunday = 6 }
    }
}
