//! glam's types. A type of `syncvar` with the same meaning has the same bytes and schema, so the two sides
//! may use either.

use glam::{
    DQuat, DVec2, DVec3, DVec4, IVec2, IVec3, IVec4, Mat2, Mat3, Mat3A, Mat4, Quat, UVec2, UVec3,
    UVec4, Vec2, Vec3, Vec3A, Vec4,
};

use super::components;
use crate::TypeSchema::Named;
use crate::{Matrix4x4, Quaternion, Vector2, Vector2Int, Vector3, Vector3Int, Vector4};

components! {
    Vec2: [f32; 2], Vector2::SCHEMA, Vec2::into, Vec2::from;
    Vec3: [f32; 3], Vector3::SCHEMA, Vec3::into, Vec3::from;
    Vec3A: [f32; 3], Vector3::SCHEMA, Vec3A::into, Vec3A::from;
    Vec4: [f32; 4], Vector4::SCHEMA, Vec4::into, Vec4::from;
    DVec2: [f64; 2], Named("DVec2"), DVec2::into, DVec2::from;
    DVec3: [f64; 3], Named("DVec3"), DVec3::into, DVec3::from;
    DVec4: [f64; 4], Named("DVec4"), DVec4::into, DVec4::from;
    IVec2: Vector2Int, Vector2Int::SCHEMA, IVec2::into, IVec2::from;
    IVec3: Vector3Int, Vector3Int::SCHEMA, IVec3::into, IVec3::from;
    IVec4: [i32; 4], Named("IVec4"), IVec4::into, IVec4::from;
    UVec2: [u32; 2], Named("UVec2"), UVec2::into, UVec2::from;
    UVec3: [u32; 3], Named("UVec3"), UVec3::into, UVec3::from;
    UVec4: [u32; 4], Named("UVec4"), UVec4::into, UVec4::from;
    Quat: [f32; 4], Quaternion::SCHEMA, Quat::into, Quat::from_array;
    DQuat: [f64; 4], Named("DQuat"), DQuat::into, DQuat::from_array;
}

// Row by row; a 4 x 4 matrix like [`Matrix4x4`](crate::Matrix4x4). glam stores columns.
components! {
    Mat2: [f32; 4], Named("Mat2"), |m| m.transpose().to_cols_array(), |rows| Mat2::from_cols_array(&rows).transpose();
    Mat3: [f32; 9], Named("Mat3"), |m| m.transpose().to_cols_array(), |rows| Mat3::from_cols_array(&rows).transpose();
    Mat3A: [f32; 9], Named("Mat3"), |m| m.transpose().to_cols_array(), |rows| Mat3A::from_cols_array(&rows).transpose();
    Mat4: Matrix4x4, Matrix4x4::SCHEMA, Mat4::into, Mat4::from;
}
