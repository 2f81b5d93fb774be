using System;
using Mirror;
using UnityEngine;

namespace Game.World
{
    public struct Money { public int gold, silver; }

    public static class MoneyWriter
    {
        public static void WriteMoney(this NetworkWriter writer, Money money) => writer.WriteInt(money.gold * 100 + money.silver);
        public static Money ReadMoney(this NetworkReader reader) => default;
    }

    public class Shop : NetworkBehaviour
    {
        [SyncVar] Money cash;
        [SyncVar] Mystery mystery;
        [SyncVar] int[,] grid;
        [SyncVar] static int sold;
        [SyncVar(hook = "OnMissing")] int open;

        [Command] int CmdBuy() => 0;
        [Command] void CmdFind<T>(int a) { }
        [Command] void CmdSell(Mystery what) { }
        [ClientRpc] void RpcSold(ref int price) { }
    }

    public class Recorder : NetworkBehaviour
    {
        [SyncVar] int frames = Environment.TickCount;

        public override void OnSerialize(NetworkWriter writer, bool initialState)
        {
            writer.WriteInt(frames);
        }
    }

    public class Glider : NetworkTransformReliable { [SyncVar] float lift; }
    public class Orphan : Lost.Library.Thing { [SyncVar] int a; }
    public class Plain : MonoBehaviour { [SyncVar] int a; }
    public class Counter<T> : NetworkBehaviour { [SyncVar] int count; }
    public class Kills : Counter<string> { [SyncVar] int best; }
}
