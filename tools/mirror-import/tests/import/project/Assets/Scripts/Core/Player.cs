using System;
using Mirror;
using UnityEngine;

// The player's public state. Everyone sees it.
[RequireComponent(typeof(Wallet)), DisallowMultipleComponent]
public class Player : NetworkBehaviour
{
    public static Player Local;

    [Header("State")]
    [SyncVar(hook = nameof(OnPlayerName))] public string playerName = "unnamed";
    [SyncVar(hook = nameof(OnHealth)), Tooltip("0 is dead")] public int health = MaxHealth;
    [SyncVar] public Vector3 position;
    public readonly SyncList<int> inventory = new SyncList<int>();

    public const int MaxHealth = 50 * 2;

    [SerializeField] float runSpeed = 4.5f;
    [SerializeField] AudioClip hurt;
    public event Action<int> Damaged;
    public bool IsAlive => health > 0;

    void OnPlayerName(string oldName, string newName) => name = newName;

    void OnHealth(int oldHealth, int newHealth)
    {
        if (newHealth < oldHealth) { Damaged?.Invoke(oldHealth - newHealth); }
    }

    [Command] void CmdDamage(int amount) => health -= amount;

    [Command(requiresAuthority = false)]
    public void CmdChat(string text, NetworkConnectionToClient sender = null)
    {
        RpcChat(playerName, text);
    }

    [Command]
    void CmdPickup(int item, int index)
    {
        if (index >= 0) inventory.Insert(index, item); else inventory.Add(item);
    }

    [ClientRpc] void RpcChat(string name, string text) => Debug.Log($"{name}: {text} {{braces}}");

    [TargetRpc]
    public void TargetNotify(string text) { Debug.Log(text); }

    [ClientRpc(includeOwner = false)]
    public void RpcOthers(int number) { }

    [Server]
    public void Heal(int amount) => health = Mathf.Min(health + amount, MaxHealth);
}
