using Mirror;

/* Written by the owner: syncDirection is ClientToServer in the prefab.
   #if in a comment is no directive. */
public class Aim : NetworkBehaviour
{
    [SyncVar(hook = nameof(OnYaw))] public float yaw;
    [SyncVar(hook = nameof(OnFiring))] public bool firing;

    void OnYaw(float _, float yaw) { }
    void OnFiring(bool _, bool firing) { }
}
