using Mirror;
using UnityEngine;

namespace Game.World
{
    public class Car : Vehicle
    {
        [SyncVar] public float speed = 3;
        [SyncVar] public bool @lock = true;
        [SyncVar] public int type;
        public int wheels = 4;
        public Color paint = Color.red;
        [SerializeField] Rigidbody body;

        protected override void OnFuel(float before, float after) { }
    }
}
