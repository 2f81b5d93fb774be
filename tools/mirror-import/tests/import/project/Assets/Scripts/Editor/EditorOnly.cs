public class EditorOnly : Mirror.NetworkBehaviour { [Mirror.SyncVar] int a; }
