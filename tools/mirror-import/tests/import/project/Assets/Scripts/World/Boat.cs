using Mirror;

namespace Game.World
{
    public class Boat : Vehicle
    {
#if SAILS && (MIRROR_57_0_OR_NEWER || !UNITY_SERVER)
        [SyncVar] public float sails;
#elif UNITY_2021_3_OR_NEWER
        [SyncVar] public int oars = 2;
#else
        [SyncVar] public string paddles;
#endif
        #region Calls
        [ClientRpc] void RpcSink() { }
        #endregion
    }
}
