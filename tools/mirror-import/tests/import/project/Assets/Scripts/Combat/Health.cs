using System.Collections.Generic;
using Mirror;
using UnityEngine;

namespace Game.Combat
{
    public partial class Health : NetworkBehaviour
    {
        [SyncVar(hook = nameof(OnChanged))] int current = 100, maximum = 100;
        [SyncVar(hook = nameof(OnChanged))] Status status = Status.Burning | Status.Frozen;
        [field: SyncVar] public Team Team { get; private set; } = Team.Blue;
        [SyncVar] public Slot slot = Slot.Second;
        [SyncVar] internal StackedEffect worst;

        void OnChanged(int before, int after) { }
        void OnChanged(Status before, Status after) { }

        [Command(channel = Channels.Unreliable)]
        public void CmdHit(Hit hit, List<int> parts, int[] counts) => TakeHit(hit);

        [Command]
        public void CmdHit(Hit hit) => TakeHit(hit);

        [ClientRpc(channel = 1, includeOwner = true)]
        void RpcHit(Hit hit, Effect effect, Nested nested) { }

        [TargetRpc]
        void TargetHeal(NetworkConnectionToClient target, byte[] blob, Vector3? at) { }

        void TakeHit(in Hit hit) { current -= hit.amount; }

        public struct Nested { public Slot slot; public Color tint; }
    }
}
