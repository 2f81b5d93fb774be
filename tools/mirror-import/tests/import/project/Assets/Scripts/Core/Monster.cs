using System;
using System.Collections.Generic;
using Mirror;
using UnityEngine;

public enum MonsterKind : byte { Goblin, Orc, Dragon }

[Serializable]
public struct LootItem
{
    public int item;
    public string? label;
    public float chance;
    [NonSerialized] public bool seen;
    float rolled;
}

public class Monster : NetworkBehaviour
{
    [SyncVar(hook = nameof(OnKind))] public MonsterKind kind;
    [SyncVar(hook = nameof(OnHp))] public short hp = 50;
    [SyncVar(hook = nameof(OnTarget))] public NetworkIdentity target;
    [SyncVar] public int? bounty;
    [SyncVar] public Color32 color = new Color32(1, 2, 3, 255);

    public readonly SyncDictionary<int, string> buffs = new SyncDictionary<int, string>();
    public readonly SyncHashSet<string> tags = new();
    public readonly SyncList<LootItem> loot = new SyncList<LootItem>();

    void OnKind(MonsterKind before, MonsterKind after) { }
    void OnHp(short before, short after) { }
    void OnTarget(NetworkIdentity before, NetworkIdentity after) { }

    [ClientRpc]
    public void RpcRoar(int volume, Vector3 at)
    {
        var text = @"a ""quoted"" text { with [SyncVar] in it";
        Debug.Log(text + at);
    }
}
