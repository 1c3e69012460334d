//! Computations: what they give, what they may not do, and how they are found in a stream.

mod hostile;
mod stream;

use super::{Block, Computed, Limits, compute};
use rstest::rstest;
use std::time::Duration;

const ADD: &str = r#"(module (func (export "add") (param f64 f64) (result f64) local.get 0 local.get 1 f64.add))"#;

const LIMITS: Limits =
    Limits { fuel: 3_000_000, time: Duration::from_secs(60), memory: 16 * 1024 * 1024, module: 256 * 1024 };

fn block(call: Option<&str>, args: &str, module: &str) -> Block {
    Block { call: call.map(str::to_owned), args: args.to_owned(), module: module.to_owned() }
}

async fn value(call: Option<&str>, args: &str, module: &str) -> String {
    match compute(&block(call, args, module), LIMITS).await {
        Computed::Value(value) => value,
        Computed::Error(why) => panic!("{why}"),
    }
}

async fn why(call: Option<&str>, args: &str, module: &str) -> String {
    match compute(&block(call, args, module), LIMITS).await {
        Computed::Error(why) => why,
        Computed::Value(value) => panic!("it gives {value}"),
    }
}

/// A function with this signature that gives its parameters back.
fn same(kind: &str) -> String {
    format!(r#"(module (func (export "same") (param {kind}) (result {kind}) local.get 0))"#)
}

// K5
#[rstest]
#[case::named(Some("add"), "8.5 5", ADD, "13.5")]
#[case::the_only_one(None, " 8.5\n 5 ", ADD, "13.5")]
#[case::whole(None, "8 5", ADD, "13")]
#[case::fenced(None, "1 2", &format!("\n```wat\n{ADD}\n```\n"), "3")]
#[case::literal(None, "1 2", &format!("<![CDATA[{ADD}]]>"), "3")]
#[case::no_module_around(None, "1 2", &ADD[8..ADD.len() - 1], "3")]
#[case::several_results(
    None,
    "",
    r#"(module (func (export "f") (result i32 i64 f32) i32.const -1 i64.const 9223372036854775807 f32.const 0.5))"#,
    "-1 9223372036854775807 0.5"
)]
#[case::no_result(None, "", r#"(module (func (export "f")))"#, "")]
#[case::memory_is_no_function(
    None,
    "",
    r#"(module (memory (export "memory") 1) (func (export "f") (result i32) memory.size))"#,
    "1"
)]
#[case::another_is_not_exported(
    None,
    "",
    r#"(module (func $two (result i32) i32.const 2) (func (export "f") (result i32) call $two call $two i32.mul))"#,
    "4"
)]
#[case::recursion(
    None,
    "10",
    r#"(module (func $fib (export "fib") (param i32) (result i32)
         local.get 0 i32.const 2 i32.lt_s if (result i32) local.get 0 else
         local.get 0 i32.const 1 i32.sub call $fib local.get 0 i32.const 2 i32.sub call $fib i32.add end))"#,
    "55"
)]
#[tokio::test]
async fn it_gives(#[case] call: Option<&str>, #[case] args: &str, #[case] module: &str, #[case] expected: &str) {
    assert_eq!(value(call, args, module).await, expected);
}

#[rstest]
#[case::negative("i32", "-2147483648", "-2147483648")]
#[case::unsigned("i32", "4294967295", "-1")]
#[case::hexadecimal("i32", "0xff", "255")]
#[case::negative_hexadecimal("i64", "-0x10", "-16")]
#[case::unsigned_long("i64", "18446744073709551615", "-1")]
#[case::fraction("f32", "0.1", "0.1")]
#[case::exponent("f64", "1e300", "1e300")]
#[case::small("f64", "-2.5e-9", "-0.0000000025")]
#[case::smaller("f64", "5e-324", "5e-324")]
#[case::no_number("f64", "nan", "NaN")]
#[case::endless("f64", "-inf", "-inf")]
#[tokio::test]
async fn numbers(#[case] kind: &str, #[case] args: &str, #[case] expected: &str) {
    assert_eq!(value(None, args, &same(kind)).await, expected);
}

#[rstest]
#[case::too_large("i32", "4294967296", "The argument \"4294967296\" is no i32.")]
#[case::too_small("i32", "-2147483649", "The argument \"-2147483649\" is no i32.")]
#[case::too_long("i64", "99999999999999999999999999999999999999999999", "is no i64.")]
#[case::fraction("i32", "1.5", "is no i32.")]
#[case::words("f64", "five", "The argument \"five\" is no f64.")]
#[case::two_signs("i32", "--5", "is no i32.")]
#[case::signs_within("i32", "0x-5", "is no i32.")]
#[case::missing("f64", "", "\"same\" wants 1 argument(s), and has 0.")]
#[case::too_many("f64", "1 2", "\"same\" wants 1 argument(s), and has 2.")]
#[case::reference("externref", "1", "A parameter is a reference, which cannot be given as text.")]
#[tokio::test]
async fn arguments_that_are_none(#[case] kind: &str, #[case] args: &str, #[case] expected: &str) {
    let why = why(None, args, &same(kind)).await;
    assert!(why.contains(expected), "{why}");
}

#[rstest]
#[case::empty(None, " ", "There is no module in the block.")]
#[case::no_text(None, "hello", "The module cannot be read: ")]
#[case::cut_off(None, "(module (func", "The module cannot be read: ")]
#[case::wrong_types(None, r#"(module (func (export "f") (result i32) f64.const 1))"#, "The module cannot be read: ")]
#[case::no_export(None, "(module (func))", "The module exports no function.")]
#[case::no_such_function(
    Some("g"),
    r#"(module (func (export "f")))"#,
    "The module exports no function \"g\"; it exports \"f\"."
)]
#[case::several(
    None,
    r#"(module (func (export "f")) (func (export "g")))"#,
    "The module exports several functions; name one by call=\"…\": \"f\", \"g\"."
)]
#[case::an_import(
    None,
    r#"(module (import "env" "print" (func (param i32))) (func (export "f")))"#,
    "The module imports \"env.print\", and there is nothing to import."
)]
#[case::a_memory_from_outside(
    None,
    r#"(module (import "env" "memory" (memory 1)) (func (export "f")))"#,
    "The module imports \"env.memory\""
)]
#[case::division(
    None,
    r#"(module (func (export "f") (result i32) i32.const 1 i32.const 0 i32.div_s))"#,
    "The function stopped: "
)]
#[case::unreachable(None, r#"(module (func (export "f") unreachable))"#, "The function stopped: ")]
#[case::out_of_bounds(
    None,
    r#"(module (memory 1) (func (export "f") (result i32) i32.const 65536 i32.load))"#,
    "The function stopped: "
)]
#[case::a_reference(None, r#"(module (func (export "f") (result funcref) ref.null func))"#, "A result is a reference")]
#[case::endless(None, r#"(module (func (export "f") (loop br 0)))"#, "The computation was stopped after 3000000 steps")]
#[case::endless_start(
    None,
    r#"(module (func $f (loop br 0)) (start $f) (func (export "g")))"#,
    "The module cannot be read: configuration disallows start functions"
)]
#[case::too_deep(None, r#"(module (func $f (export "f") call $f))"#, "it calls itself too deeply.")]
#[case::large_memory(None, r#"(module (memory 1000) (func (export "f")))"#, "The module cannot be set up")]
#[case::large_table(None, r#"(module (table 10000000 funcref) (func (export "f")))"#, "The module cannot be set up")]
#[case::two_memories(None, r#"(module (memory 1) (memory 1) (func (export "f")))"#, "The module cannot be read: ")]
#[tokio::test]
async fn it_does_not_work(#[case] call: Option<&str>, #[case] module: &str, #[case] expected: &str) {
    let why = why(call, "", module).await;
    assert!(why.contains(expected), "{why}");
    assert!(why.ends_with('.') || why.ends_with("shorter.") || why.ends_with("\"."), "a sentence: {why}");
    assert!(!why.contains('\n'), "{why}");
}

#[tokio::test]
async fn memory_does_not_grow_over_its_limit() {
    let module = r#"(module (memory 1) (func (export "grow") (param i32) (result i32) local.get 0 memory.grow))"#;
    assert_eq!(value(None, "255", module).await, "1");
    assert_eq!(value(None, "256", module).await, "-1");
    let table = r#"(module (table 1 funcref) (func (export "grow") (param i32) (result i32)
                     ref.null func local.get 0 table.grow))"#;
    assert_eq!(value(None, "1000000", table).await, "-1");
}

#[tokio::test]
async fn a_module_that_is_too_long_is_not_read() {
    let module = format!("(module {} (func (export \"f\")))", ";; nothing\n".repeat(30_000));
    assert_eq!(why(None, "", &module).await, "The module is longer than 256 KiB.");
}

#[tokio::test]
async fn a_computation_that_takes_too_long_is_stopped() {
    let limits = Limits { fuel: u64::MAX, time: Duration::from_millis(200), ..LIMITS };
    let endless = block(None, "", r#"(module (func (export "f") (loop br 0)))"#);
    let Computed::Error(why) = compute(&endless, limits).await else { panic!("it never ends") };
    assert_eq!(why, "The computation took longer than 0.2 seconds and was stopped.");
    // The runtime ends only when its blocking threads do.
}

#[rstest]
#[case::value(Computed::Value("13.5".to_owned()), "<computed>13.5</computed>")]
#[case::nothing(Computed::Value(String::new()), "<computed></computed>")]
#[case::error(
    Computed::Error("No </computed> & \"x\".".to_owned()),
    "<computed error=\"true\">No &lt;/computed&gt; &amp; \"x\".</computed>"
)]
fn the_form(#[case] computed: Computed, #[case] expected: &str) {
    assert_eq!(computed.to_string(), expected);
}
