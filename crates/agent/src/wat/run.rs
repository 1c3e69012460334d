//! One computation in an interpreter of its own: without imports, and nothing stays of it.

use super::{Block, Limits, numbers};
use std::sync::atomic::{AtomicBool, Ordering};
use wasmi::{
    Config, Engine, Error, ExternType, Func, Linker, Module, ResumableCall, Store, StoreLimits, StoreLimitsBuilder, Val,
};

/// Fuel between two checks whether the computation should stop.
const STEP: u64 = 1_000_000;

/// Elements of a table.
const ELEMENTS: usize = 100_000;

/// Results of a function; no model needs more.
const RESULTS: usize = 1_000;

/// Computes a block; blocks the thread.
///
/// # Errors
/// The reason why there is no result, as a sentence.
pub(super) fn run(block: &Block, limits: Limits, stop: &AtomicBool) -> Result<String, String> {
    if block.module.len() > limits.module {
        return Err(format!("The module is longer than {} KiB.", limits.module / 1024));
    }
    let text = bare(&block.module);
    if text.is_empty() {
        return Err("There is no module in the block.".to_owned());
    }
    let mut config = Config::default();
    config.consume_fuel(true).allow_start_fn(false).wasm_multi_memory(false);
    let engine = Engine::new(&config);
    let module = Module::new(&engine, text).map_err(|error| unread(&error))?;
    if let Some(import) = module.imports().next() {
        return Err(format!(
            "The module imports \"{}.{}\", and there is nothing to import.",
            import.module(),
            import.name()
        ));
    }
    let bounds = StoreLimitsBuilder::new().memory_size(limits.memory).memories(1).tables(10).table_elements(ELEMENTS);
    let mut store = Store::new(&engine, bounds.instances(1).build());
    store.limiter(|bounds: &mut StoreLimits| bounds);
    store.set_fuel(limits.fuel).map_err(|error| stopped(&error, limits))?;
    let started = Linker::new(&engine).instantiate_and_start(&mut store, &module);
    let instance = started.map_err(|error| match error.as_trap_code() {
        Some(_) => stopped(&error, limits),
        None => format!("The module cannot be set up: {}.", line(&error.to_string())),
    })?;
    let name = function(&module, block.call.as_deref())?;
    let function = instance.get_func(&store, &name).ok_or_else(|| format!("There is no function \"{name}\"."))?;
    let results = call(&mut store, &function, &name, block, limits, stop)?;
    Ok(results.iter().map(numbers::write).collect::<Result<Vec<_>, _>>()?.join(" "))
}

/// The function that is called.
fn function(module: &Module, call: Option<&str>) -> Result<String, String> {
    let functions = module.exports().filter(|export| matches!(export.ty(), ExternType::Func(_)));
    let names: Vec<&str> = functions.map(|export| export.name()).collect();
    let known = || names.iter().take(20).map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match (call, names.as_slice()) {
        (_, []) => Err("The module exports no function.".to_owned()),
        (Some(call), names) if names.contains(&call) => Ok(call.to_owned()),
        (Some(call), _) => Err(format!("The module exports no function \"{call}\"; it exports {}.", known())),
        (None, [name]) => Ok((*name).to_owned()),
        (None, _) => Err(format!("The module exports several functions; name one by call=\"…\": {}.", known())),
    }
}

fn call(
    store: &mut Store<StoreLimits>,
    function: &Func,
    name: &str,
    block: &Block,
    limits: Limits,
    stop: &AtomicBool,
) -> Result<Vec<Val>, String> {
    let kind = function.ty(&*store);
    let given: Vec<&str> = block.args.split_whitespace().collect();
    if given.len() != kind.params().len() {
        return Err(format!("\"{name}\" wants {} argument(s), and has {}.", kind.params().len(), given.len()));
    }
    if kind.results().len() > RESULTS {
        return Err(format!("\"{name}\" has more than {RESULTS} results."));
    }
    let params = given.iter().zip(kind.params()).map(|(text, kind)| numbers::read(text, *kind));
    let params = params.collect::<Result<Vec<_>, _>>()?;
    let mut results: Vec<Val> = kind.results().iter().map(|kind| Val::default_for_ty(*kind)).collect();

    let mut left = limits.fuel;
    let mut step = STEP.min(left);
    let fuel = |store: &mut Store<StoreLimits>, fuel| store.set_fuel(fuel).map_err(|error| stopped(&error, limits));
    fuel(store, step)?;
    let mut state = function.call_resumable(&mut *store, &params, &mut results);
    loop {
        match state {
            Ok(ResumableCall::Finished) => return Ok(results),
            Ok(ResumableCall::OutOfFuel(call)) => {
                // Fuel that was left of the step is not used up.
                left = left.saturating_sub(step.saturating_sub(store.get_fuel().unwrap_or(0)).max(1));
                step = call.required_fuel().max(STEP.min(left));
                if step > left || stop.load(Ordering::Acquire) {
                    return Err(endless(limits));
                }
                fuel(store, step)?;
                state = call.resume(&mut *store, &mut results);
            }
            Ok(ResumableCall::HostTrap(_)) => return Err("The function called what is not there.".to_owned()),
            Err(error) => return Err(stopped(&error, limits)),
        }
    }
}

/// The module without the fences that models like to put around code.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_prefix("<![CDATA[").and_then(|text| text.strip_suffix("]]>")).unwrap_or(text).trim();
    let Some(fenced) = text.strip_prefix("```") else { return text };
    let inside = fenced.split_once('\n').map_or("", |(_, inside)| inside).trim_end();
    inside.strip_suffix("```").unwrap_or(inside)
}

fn unread(error: &Error) -> String {
    format!("The module cannot be read: {}.", line(&error.to_string()))
}

fn stopped(error: &Error, limits: Limits) -> String {
    use wasmi::TrapCode::{GrowthOperationLimited, OutOfFuel, StackOverflow};
    match error.as_trap_code() {
        Some(OutOfFuel) => endless(limits),
        Some(StackOverflow) => "The function stopped: it calls itself too deeply.".to_owned(),
        Some(GrowthOperationLimited) => {
            format!("The function stopped: it wants more than {} MiB of memory.", limits.memory / 1024 / 1024)
        }
        _ => format!("The function stopped: {}.", line(&error.to_string())),
    }
}

fn endless(limits: Limits) -> String {
    format!("The computation was stopped after {} steps; make it shorter.", limits.fuel)
}

/// The first line of an error; the others quote the module.
fn line(error: &str) -> String {
    let line = todo::text::plain(error.lines().next().unwrap_or_default());
    line.trim().trim_end_matches(['.', ':']).to_owned()
}
