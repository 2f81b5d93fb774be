//! mint's types. A type of `syncvar` or glam with the same meaning has the same bytes and schema, so the two
//! sides may use either.

use mint::{
    ColumnMatrix2, ColumnMatrix3, ColumnMatrix4, Point2, Point3, Quaternion as Quat, RowMatrix2,
    RowMatrix3, RowMatrix4, Vector2 as Vec2, Vector3 as Vec3, Vector4 as Vec4,
};

use super::components;
use crate::TypeSchema::Named;
use crate::{Matrix4x4, Quaternion, Vector2, Vector2Int, Vector3, Vector3Int, Vector4};

components! {
    Vec2<f32>: [f32; 2], Vector2::SCHEMA, Vec2::into, Vec2::from;
    Vec3<f32>: [f32; 3], Vector3::SCHEMA, Vec3::into, Vec3::from;
    Vec4<f32>: [f32; 4], Vector4::SCHEMA, Vec4::into, Vec4::from;
    Point2<f32>: [f32; 2], Vector2::SCHEMA, Point2::into, Point2::from;
    Point3<f32>: [f32; 3], Vector3::SCHEMA, Point3::into, Point3::from;
    Quat<f32>: [f32; 4], Quaternion::SCHEMA, Quat::into, Quat::from;
    Vec2<f64>: [f64; 2], Named("DVec2"), Vec2::into, Vec2::from;
    Vec3<f64>: [f64; 3], Named("DVec3"), Vec3::into, Vec3::from;
    Vec4<f64>: [f64; 4], Named("DVec4"), Vec4::into, Vec4::from;
    Point2<f64>: [f64; 2], Named("DVec2"), Point2::into, Point2::from;
    Point3<f64>: [f64; 3], Named("DVec3"), Point3::into, Point3::from;
    Quat<f64>: [f64; 4], Named("DQuat"), Quat::into, Quat::from;
    Vec2<i32>: Vector2Int, Vector2Int::SCHEMA, Vec2::into, Vec2::from;
    Vec3<i32>: Vector3Int, Vector3Int::SCHEMA, Vec3::into, Vec3::from;
    Vec4<i32>: [i32; 4], Named("IVec4"), Vec4::into, Vec4::from;
    Point2<i32>: Vector2Int, Vector2Int::SCHEMA, |p| Vector2Int::new(p.x, p.y), |v| [v.x, v.y].into();
    Point3<i32>: Vector3Int, Vector3Int::SCHEMA, |p| Vector3Int::new(p.x, p.y, p.z), |v| [v.x, v.y, v.z].into();
    Vec2<u32>: [u32; 2], Named("UVec2"), Vec2::into, Vec2::from;
    Vec3<u32>: [u32; 3], Named("UVec3"), Vec3::into, Vec3::from;
    Vec4<u32>: [u32; 4], Named("UVec4"), Vec4::into, Vec4::from;
    Point2<u32>: [u32; 2], Named("UVec2"), Point2::into, Point2::from;
    Point3<u32>: [u32; 3], Named("UVec3"), Point3::into, Point3::from;
}

// Row by row; a 4 x 4 matrix like [`Matrix4x4`](crate::Matrix4x4).
components! {
    RowMatrix2<f32>: [f32; 4], Named("Mat2"), RowMatrix2::into, RowMatrix2::from;
    RowMatrix3<f32>: [f32; 9], Named("Mat3"), RowMatrix3::into, RowMatrix3::from;
    RowMatrix4<f32>: Matrix4x4, Matrix4x4::SCHEMA, RowMatrix4::into, RowMatrix4::from;
    ColumnMatrix2<f32>: [f32; 4], Named("Mat2"), |m| RowMatrix2::from(m).into(), |rows| RowMatrix2::from(rows).into();
    ColumnMatrix3<f32>: [f32; 9], Named("Mat3"), |m| RowMatrix3::from(m).into(), |rows| RowMatrix3::from(rows).into();
    ColumnMatrix4<f32>: Matrix4x4, Matrix4x4::SCHEMA, |m| RowMatrix4::from(m).into(), |m| RowMatrix4::from(m).into();
}
