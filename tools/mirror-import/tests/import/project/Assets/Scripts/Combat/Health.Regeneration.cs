using UnityEngine;

namespace Game.Combat;

public partial class Health
{
    [SerializeField] float perSecond = 1f / 4;
    [SerializeField] string label = "hp:\t\u0041";
    float carried;

#if UNITY_EDITOR
    void OnGUI() => GUILayout.Label(label);
#endif
}
