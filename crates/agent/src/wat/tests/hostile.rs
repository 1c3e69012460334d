//! Modules that nobody meant: nothing makes the interpreter panic, go on for ever, or take what it may not.

use super::{ADD, LIMITS, block};
use crate::wat::{Limits, run::run};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

const MODULES: [&str; 6] = [
    ADD,
    r#"(module (memory 1 200) (data (i32.const 100) "abc") (func (export "f") (param i32) (result i32)
         (local i32) (loop local.get 0 i32.const 1 i32.add local.tee 0 i32.const 100 i32.lt_s br_if 0)
         local.get 0 i32.load8_u offset=2))"#,
    r#"(module (table 4 funcref) (elem (i32.const 0) $a $a) (type $t (func (result i32)))
         (func $a (result i32) i32.const 7) (func (export "f") (param i32) (result i32)
         local.get 0 call_indirect (type $t)))"#,
    r#"(module (global $g (mut i64) (i64.const 1)) (func (export "f") (param i64) (result i64)
         (block $out (loop $in local.get 0 i64.eqz br_if $out global.get $g local.get 0 i64.mul global.set $g
         local.get 0 i64.const 1 i64.sub local.set 0 br $in)) global.get $g))"#,
    r#"(module (func $f (export "f") (param f32) (result f32 f64) local.get 0 f64.const 2 f64.sqrt))"#,
    // The bytes of a module that adds.
    r#"(module binary "\00asm\01\00\00\00\01\07\01\60\02\7f\7f\01\7f\03\02\01\00\07\05\01\01a\00\00\0a\09\01\07\00\20\00\20\01\6a\0b")"#,
];

const WORDS: [&str; 20] = [
    "(",
    ")",
    "\"",
    "\\",
    "module",
    "func",
    "(loop br 0)",
    "call 0",
    "memory.grow",
    "table.grow",
    "unreachable",
    "i64",
    "f32",
    "v128",
    "externref",
    "0xffffffff",
    "-1",
    "(start 0)",
    "(import \"a\" \"b\" (func))",
    "return_call 0",
];

#[derive(Debug, Clone)]
enum Change {
    Delete(usize, usize),
    Insert(usize, &'static str),
    Repeat(usize, usize),
    Letter(usize, char),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..600usize;
    prop_oneof![
        (at.clone(), 1..20usize).prop_map(|(at, length)| Change::Delete(at, length)),
        (at.clone(), prop::sample::select(&WORDS[..])).prop_map(|(at, word)| Change::Insert(at, word)),
        (at.clone(), 1..60usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (at, prop::sample::select(vec!['0', '1', '7', 'f', 'e', '\u{0}', 'ä', '"']))
            .prop_map(|(at, c)| Change::Letter(at, c)),
    ]
}

fn changed(module: &str, changes: &[Change]) -> String {
    let mut text: Vec<char> = module.chars().collect();
    for change in changes {
        let length = text.len().max(1);
        match *change {
            Change::Delete(at, many) => drop(text.drain(at % length..(at % length + many).min(text.len()))),
            Change::Insert(at, word) => drop(text.splice(at % length..at % length, word.chars())),
            Change::Repeat(at, many) => {
                let part: Vec<char> = text.iter().skip(at % length).take(many).copied().collect();
                drop(text.splice(at % length..at % length, part));
            }
            Change::Letter(at, c) => {
                if let Some(place) = text.get_mut(at % length) {
                    *place = c;
                }
            }
        }
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_mutated_module_gives_a_value_or_a_sentence(
        module in prop::sample::select(&MODULES[..]),
        changes in prop::collection::vec(change(), 0..4),
        args in prop::sample::select(vec!["", "1", "1 2", "-1", "1e9", "nan nan", "9223372036854775807"]),
    ) {
        let module = changed(module, &changes);
        let limits = Limits { fuel: 200_000, ..LIMITS };
        match run(&block(None, args, &module), limits, &AtomicBool::new(false)) {
            Ok(value) => prop_assert!(!value.contains('\n')),
            Err(why) => prop_assert!(why.ends_with('.') && !why.contains('\n') && why.len() < 2_000, "{}", why),
        }
    }
}

#[test]
fn the_modules_work_before_they_are_changed() {
    for (module, (args, expected)) in MODULES.iter().zip([
        ("1 2", "3"),
        ("0", "99"),
        ("1", "7"),
        ("5", "120"),
        ("3", "3 1.4142135623730951"),
        ("1 2", "3"),
    ]) {
        let value = run(&block(None, args, module), LIMITS, &AtomicBool::new(false));
        assert_eq!(value.map_err(|why| format!("{module}: {why}")), Ok(expected.to_owned()));
    }
}

#[test]
fn nested_parentheses_are_refused() {
    let module = format!("(module {}{})", "(block ".repeat(30_000), ")".repeat(30_000));
    assert!(run(&block(None, "", &module), LIMITS, &AtomicBool::new(false)).is_err());
    let folded = format!("(module (func (export \"f\") {} ))", "block ".repeat(30_000) + &"end ".repeat(30_000));
    let _ = run(&block(None, "", &folded), LIMITS, &AtomicBool::new(false));
}
