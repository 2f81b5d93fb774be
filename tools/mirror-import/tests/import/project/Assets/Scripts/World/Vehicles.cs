using Mirror;
using UnityEngine;

namespace Game.World
{
    public abstract class Vehicle : NetworkBehaviour
    {
        [SyncVar(hook = nameof(OnFuel))] protected float fuel = 50;
        [SyncVar] protected NetworkIdentity driver;

        protected virtual void OnFuel(float before, float after) { }

        [Command(requiresAuthority = false)]
        public void CmdEnter(NetworkConnectionToClient sender = null) { }
    }
}
