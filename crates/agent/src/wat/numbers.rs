//! Numbers of WebAssembly as text.

use wasmi::{Val, ValType};

/// An argument of this type. Integers may be signed or not, and hexadecimal after `0x`.
///
/// # Errors
/// When it is no such number, as a sentence.
pub(super) fn read(text: &str, kind: ValType) -> Result<Val, String> {
    let wrong = || format!("The argument \"{text}\" is no {}.", name(kind));
    match kind {
        ValType::I32 => {
            let number = integer(text).ok_or_else(wrong)?;
            let signed = i32::try_from(number).ok();
            signed.or_else(|| u32::try_from(number).ok().map(u32::cast_signed)).map(Val::I32).ok_or_else(wrong)
        }
        ValType::I64 => {
            let number = integer(text).ok_or_else(wrong)?;
            let signed = i64::try_from(number).ok();
            signed.or_else(|| u64::try_from(number).ok().map(u64::cast_signed)).map(Val::I64).ok_or_else(wrong)
        }
        ValType::F32 => text.parse::<f32>().map(|number| Val::F32(number.into())).map_err(|_| wrong()),
        ValType::F64 => text.parse::<f64>().map(|number| Val::F64(number.into())).map_err(|_| wrong()),
        other => Err(format!("A parameter is {}, which cannot be given as text.", name(other))),
    }
}

fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16).ok()?,
        Some(_) => return None,
        None => digits.parse::<i128>().ok()?,
    };
    number.checked_mul(if negative { -1 } else { 1 })
}

/// A result.
///
/// # Errors
/// When it is no number, as a sentence.
pub(super) fn write(value: &Val) -> Result<String, String> {
    match value {
        Val::I32(number) => Ok(number.to_string()),
        Val::I64(number) => Ok(number.to_string()),
        Val::F32(number) => Ok(float(f64::from(number.to_float()), number.to_float().to_string())),
        Val::F64(number) => Ok(float(number.to_float(), number.to_float().to_string())),
        other => Err(format!("A result is {}, which cannot be shown.", name(other.ty()))),
    }
}

/// A fraction with all of its digits, or with an exponent where there would be too many.
fn float(number: f64, digits: String) -> String {
    const DIGITS: usize = 24;
    if digits.len() > DIGITS { format!("{number:e}") } else { digits }
}

fn name(kind: ValType) -> &'static str {
    match kind {
        ValType::I32 => "i32",
        ValType::I64 => "i64",
        ValType::F32 => "f32",
        ValType::F64 => "f64",
        ValType::V128 => "a vector",
        ValType::FuncRef | ValType::ExternRef => "a reference",
    }
}
