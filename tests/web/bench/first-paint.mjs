// How long after the start of a process its window has painted: looked at from outside, on the screen. Both programs
// have something blue in the corner at the top left. Given are the two programs, and the second one's data folder where
// it is not a new one. Prints one line of JSON.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import x11 from "x11";

const [empty, window, data] = process.argv.slice(2);
const RUNS = 15;
const CORNER = 60;
const Z_PIXMAP = 2;
const LONGEST = 60_000;

const display = await new Promise((resolve, reject) =>
  x11.createClient((error, found) => (error ? reject(error) : resolve(found))),
);
const root = display.screen[0].root;

function isBlueInCorner() {
  return new Promise((resolve, reject) =>
    display.client.GetImage(Z_PIXMAP, root, 0, 0, CORNER, CORNER, 0xffffffff, (error, image) => {
      if (error) return reject(error);
      // Blue, green, red and a byte that means nothing.
      for (let at = 0; at + 3 < image.data.length; at += 4) {
        const [blue, green, red] = image.data.subarray(at, at + 3);
        if (blue > 150 && blue > red + 90 && blue > green + 60) return resolve(true);
      }
      return resolve(false);
    }),
  );
}

async function until(seen) {
  const begun = performance.now();
  while ((await isBlueInCorner()) !== seen) {
    if (performance.now() - begun > LONGEST) throw new Error("the window does not paint");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Starts a program and ends it again; how long its paint took. */
async function once(program, args) {
  await until(false);
  const begun = performance.now();
  const child = spawn(program, args, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  try {
    await until(true);
    return performance.now() - begun;
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

async function measure(program, args) {
  // The first brings everything from the disk.
  await once(program, args);
  const times = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await once(program, args));
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p99: at(0.99), samples: times.length };
}

const folder = await mkdtemp(join(tmpdir(), "sightline-paint-"));
try {
  const measured = {
    empty: await measure(empty, []),
    window: await measure(window, ["--data-dir", data ?? join(folder, "data")]),
  };
  process.stdout.write(JSON.stringify(measured));
} finally {
  display.client.terminate();
  await rm(folder, { recursive: true, force: true });
}
