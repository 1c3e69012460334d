import { sum } from "./counters.mjs";

const CATEGORIES = [
  "devtools.timeline",
  "disabled-by-default-devtools.timeline",
  "disabled-by-default-devtools.timeline.frame",
];

/** Traces a page while `run` runs; what its main thread did meanwhile. */
export async function traced(browser, page, run) {
  await browser.startTracing(page, { categories: CATEGORIES });
  const begun = performance.now();
  await run();
  const seconds = (performance.now() - begun) / 1000;
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  return { seconds, ...read(traceEvents) };
}

function read(events) {
  const started = events.find(({ name }) => name === "TracingStartedInBrowser");
  const process = started.args.data.frames.find(({ parent }) => !parent).processId;
  const main = events.find(
    ({ name, pid, args }) => name === "thread_name" && args.name === "CrRendererMain" && pid === process,
  );
  const own = events.filter(({ pid, tid, ph }) => pid === main.pid && tid === main.tid && ph !== "E");
  const named = (wanted) => own.filter(({ name }) => name === wanted).toSorted((a, b) => a.ts - b.ts);
  const frames = named("BeginMainThreadFrame").map(({ ts }) => ts);
  const tasks = named("RunTask");
  return {
    frames: frames.length,
    /** The time that the main thread worked from the begin of each frame to that of the next. */
    busyPerFrame: perFrame(tasks, frames),
    /** The part of it that the frame itself took, without the messages. */
    workPerFrame: ofFrames(tasks, frames),
    busy: sum(tasks.map(work)),
    styles: named("UpdateLayoutTree").length,
    layouts: named("Layout").length,
    paints: named("Paint").length,
  };
}

/** In milliseconds; what the thread itself took, where that is told, and not what others took from it. */
function work({ tdur, dur }) {
  return (tdur ?? dur ?? 0) / 1000;
}

function perFrame(tasks, frames) {
  const busy = frames.slice(1).map(() => 0);
  let at = 0;
  for (const task of tasks) {
    while (at < busy.length && frames[at + 1] <= task.ts) at += 1;
    if (at < busy.length && task.ts >= frames[at]) busy[at] += work(task);
  }
  return busy;
}

/** The work of the tasks in which a frame began: its scripts, styles, layout and paint. */
function ofFrames(tasks, frames) {
  const works = [];
  let at = 0;
  for (const task of tasks) {
    while (at < frames.length && frames[at] < task.ts) at += 1;
    if (at < frames.length && frames[at] < task.ts + task.dur) works.push(work(task));
  }
  return works;
}
