import { expect, test } from "vitest";
import { Desk } from "../testing/desk";
import { Gateway } from "./gateway.svelte";
import { OnDemand } from "./on-demand";

class Quiet {
  isThere = true;
}

class Listening {
  static open = 0;
  constructor(readonly gateway: Gateway) {}
  open(): () => void {
    Listening.open += 1;
    return () => void (Listening.open -= 1);
  }
}

test("a part of the state is made when it is asked for, once, and listens until the window goes", () => {
  const gateway = new Gateway(new Desk([]));
  const parts = new OnDemand(gateway);
  expect(Listening.open).toBe(0);
  const listening = parts.of(Listening);
  expect(listening.gateway).toBe(gateway);
  expect(parts.of(Listening)).toBe(listening);
  expect(parts.of(Quiet)).toBe(parts.of(Quiet));
  expect(Listening.open).toBe(1);
  parts.close();
  expect(Listening.open).toBe(0);
});
