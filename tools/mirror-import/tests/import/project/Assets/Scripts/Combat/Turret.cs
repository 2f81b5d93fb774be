using Mirror;
using UnityEngine;
using Unit = Game.Combat.Team;

namespace Game.Combat
{
    public class Turret : NetworkBehaviour
    {
        [SyncVar] Health prey;
        [SyncVar] NetworkBehaviour anything;
        [SyncVar] GameObject barrel;
        [SyncVar] Transform muzzle;
        [SyncVar] Unit side = Unit.Red;
        [SyncVar] char letter = 'x';
        [SyncVar] double range = 1e2;
        [SyncVar] Quaternion rotation = Quaternion.identity;
        [SyncVar] Vector2Int cell = new Vector2Int(3, -4);
        [SyncVar] System.Guid id;
        [SyncVar] float never = float.PositiveInfinity;

        [ClientRpc]
        void RpcAim(Health prey, GameObject barrel, NetworkIdentity who, params ushort[] angles) { }
    }
}
