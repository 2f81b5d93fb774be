//! Objects of the browser, by the names of their properties.
//!
//! WebTransport is not among the stable bindings of `web-sys`, and its unstable ones need a flag of the compiler.

use std::time::Duration;

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Result of a call.
pub(crate) type JsResult<T = JsValue> = Result<T, JsValue>;

/// Returns a property.
pub(crate) fn get(object: &JsValue, name: &str) -> JsResult {
    Reflect::get(object, &name.into())
}

/// Sets a property.
pub(crate) fn set(object: &JsValue, name: &str, value: &JsValue) -> JsResult<()> {
    Reflect::set(object, &name.into(), value).map(|_| ())
}

/// Returns a property that is a number.
pub(crate) fn number(object: &JsValue, name: &str) -> Option<f64> {
    get(object, name).ok()?.as_f64()
}

/// Calls a method.
pub(crate) fn call(object: &JsValue, name: &str, arguments: &[JsValue]) -> JsResult {
    let method: Function = get(object, name)?.dyn_into()?;
    let arguments: Array = arguments.iter().collect();
    Reflect::apply(&method, object, &arguments)
}

/// Calls a method and waits for its promise.
pub(crate) async fn call_async(object: &JsValue, name: &str, arguments: &[JsValue]) -> JsResult {
    settled(call(object, name, arguments)?).await
}

/// Waits for a promise.
pub(crate) async fn settled(promise: JsValue) -> JsResult {
    JsFuture::from(Promise::resolve(&promise)).await
}

/// Creates an object of a class of the page.
pub(crate) fn construct(class: &str, arguments: &[JsValue]) -> JsResult {
    let constructor: Function = get(&js_sys::global(), class)?.dyn_into()?;
    let arguments: Array = arguments.iter().collect();
    Reflect::construct(&constructor, &arguments)
}

/// Returns an object with properties.
pub(crate) fn object(properties: &[(&str, JsValue)]) -> JsResult {
    let object: JsValue = Object::new().into();
    for (name, value) in properties {
        set(&object, name, value)?;
    }
    Ok(object)
}

/// Returns bytes for a call.
pub(crate) fn bytes(bytes: &[u8]) -> JsValue {
    Uint8Array::from(bytes).into()
}

/// Waits for a promise, at most for a time. `None` is a timeout.
pub(crate) async fn within(limit: Duration, promise: JsValue) -> JsResult<Option<JsValue>> {
    let marker: JsValue = Object::new().into();
    let late = marker.clone();
    let timeout = Promise::new(&mut |resolve, _| {
        let milliseconds = limit.as_secs_f64() * 1000.0;
        let arguments = [resolve.into(), milliseconds.into(), late.clone()];
        let _ = call(&js_sys::global(), "setTimeout", &arguments);
    });
    let first = Promise::race(&Array::of2(&promise, &timeout));
    let value = JsFuture::from(first).await?;
    Ok((value != marker).then_some(value))
}

/// Returns the text of an error.
pub(crate) fn text(error: &JsValue) -> String {
    let message = get(error, "message").ok().and_then(|it| it.as_string());
    let message = message.filter(|message| !message.is_empty());
    message.unwrap_or_else(|| format!("{error:?}"))
}
