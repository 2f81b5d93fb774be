using Mirror;

namespace Game.World
{
    // Nothing of its own travels; it has its place among the components.
    public class Zone : NetworkBehaviour
    {
        public float radius = 10f;
        public int[] levels = new int[] { 1, 2 };
        public override void OnStartServer() { base.OnStartServer(); }
    }

    public class ZoneView : UnityEngine.MonoBehaviour { public int notNetworked; }
}
