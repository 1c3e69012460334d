// The work that one message among many sessions makes for the views, in counts.
import { flushSync } from "svelte";
import { expect, test, vi } from "vitest";
import { Desk } from "../testing/desk";
import { item, need, session } from "../testing/samples";
import { Gateway } from "./gateway.svelte";

const SESSIONS = 30;

/** Every fifth has a subagent, and every third needs the user. */
const told = [...Array(SESSIONS).keys()].map((at) =>
  session(`s${at}`, [item("a")], {
    ...(at % 5 === 1 && { parentSessionId: `s${at - 1}` }),
    ...(at % 3 === 0 && { needs: [need("waiting")] }),
  }),
);

test("of thirty sessions only the one that changes is another object, and who shows needs has nothing to do", async () => {
  const desk = new Desk(told);
  const gateway = new Gateway(desk);
  let shows = 0;
  const end = $effect.root(() => {
    $effect(() => {
      void gateway.needs;
      shows += 1;
    });
    $effect(() => gateway.open());
  });
  const change = async (at: number): Promise<string[]> => {
    const before = gateway.order;
    shows = 0;
    desk.put({ ...(told[at] as (typeof told)[number]), revision: 9, todos: [item("a", "completed")] });
    await vi.waitFor(() => expect(gateway.get(`s${at}`)?.known.session.revision).toBe(9));
    flushSync();
    return gateway.order.filter((run) => !before.includes(run)).map(({ id }) => id);
  };
  await vi.waitFor(() => expect(gateway.arrived).toBe(true));
  flushSync();
  expect(gateway.order).toHaveLength(SESSIONS);
  expect(gateway.needs).toHaveLength(SESSIONS / 3);
  const first = gateway.needs;

  expect(await change(2)).toEqual(["s2"]);
  expect([shows, gateway.needs === first]).toEqual([0, true]);

  // A subagent is shown in the card of its run; other cards with subagents are left alone.
  expect((await change(11)).toSorted()).toEqual(["s10", "s11"]);
  expect([shows, gateway.needs === first]).toEqual([0, true]);

  expect(await change(3)).toEqual(["s3"]);
  expect(shows).toBe(1);
  expect(gateway.needs.filter((entry) => !first.includes(entry)).map(({ run }) => run.id)).toEqual(["s3"]);
  end();
});
