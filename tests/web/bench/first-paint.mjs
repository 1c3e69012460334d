// The time from the start of a process until its window has painted: looked at from outside, on the screen. Both programs
// have something blue in the corner at the top left; the second one's page has words under it. Given are the two
// programs, and the second one's data folder where it is not a new one. Prints one line of JSON.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import x11 from "x11";

const [empty, window, data] = process.argv.slice(2);
const RUNS = 15;
const CORNER = [0, 0, 60, 60];
/** Where the rail's first entry has its words. */
const ENTRY = [40, 100, 60, 24];
const Z_PIXMAP = 2;
const LONGEST = 60_000;
const ENDS_WITHIN = 20_000;

const display = await new Promise((resolve, reject) =>
  x11.createClient((error, found) => (error ? reject(error) : resolve(found))),
);
const root = display.screen[0].root;

/** True if a part of the screen has a pixel like that, given blue, green and red. */
function has([x, y, width, height], isLike) {
  return new Promise((resolve, reject) =>
    display.client.GetImage(Z_PIXMAP, root, x, y, width, height, 0xffffffff, (error, image) => {
      if (error) return reject(error);
      // A fourth byte means nothing.
      for (let at = 0; at + 3 < image.data.length; at += 4) {
        if (isLike(...image.data.subarray(at, at + 3))) return resolve(true);
      }
      return resolve(false);
    }),
  );
}

const isPainted = () => has(CORNER, (blue, green, red) => blue > 150 && blue > red + 90 && blue > green + 60);
const isThere = () => has(ENTRY, (blue, green, red) => Math.max(blue, green, red) < 130);

async function until(sees, wanted) {
  const begun = performance.now();
  while ((await sees()) !== wanted) {
    if (performance.now() - begun > LONGEST) throw new Error("the window does not paint");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Megabytes that are a process's own. */
async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1000;
}

/** Ends a program in good order; one that does not end is a defect, and ends all the same. */
async function end(child) {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const killer = setTimeout(() => {
    process.stderr.write(`${child.spawnfile} did not end when it was told to\n`);
    child.kill("SIGKILL");
  }, ENDS_WITHIN);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(killer);
}

/** Starts a program and ends it again; how long its paint took, and its page where it has one, and its memory then. */
async function once(program, args) {
  await until(isPainted, false);
  const begun = performance.now();
  const child = spawn(program, args, { stdio: "ignore" });
  try {
    await until(isPainted, true);
    const paint = performance.now() - begun;
    if (program !== empty) await until(isThere, true);
    const page = performance.now() - begun;
    return { paint, page, memory: await memoryOf(child.pid) };
  } finally {
    await end(child);
  }
}

function spread(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p99: at(0.99), samples: sorted.length };
}

async function measure(program, args) {
  // The first brings everything from the disk.
  await once(program, args);
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await once(program, args));
  return {
    paint: spread(runs.map(({ paint }) => paint)),
    page: spread(runs.map(({ page }) => page)),
    memory: spread(runs.map(({ memory }) => memory)).p50,
  };
}

const folder = await mkdtemp(join(tmpdir(), "sightline-paint-"));
try {
  const floor = await measure(empty, []);
  const { paint, page, memory } = await measure(window, ["--data-dir", data ?? join(folder, "data")]);
  const both = { empty: floor.memory, own: memory };
  process.stdout.write(JSON.stringify({ empty: floor.paint, paint, page, memory: both }));
} finally {
  display.client.terminate();
  await rm(folder, { recursive: true, force: true });
}
