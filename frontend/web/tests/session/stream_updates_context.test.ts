import { expect, test } from "vitest";
import {
  kNoUpdates,
  updatesOf,
} from "../../src/session/stream_updates_context";

test("an older backend announces nothing: pages ask at intervals", () => {
  expect(updatesOf(true, 0n)).toEqual(kNoUpdates);
  expect(updatesOf(true, 0n).live).toBe(false);
});

test("without a stream pages ask at intervals, with the last version", () => {
  expect(updatesOf(false, 7n)).toEqual({ live: false, epoch: "7" });
});

test("another version is another epoch", () => {
  expect(updatesOf(true, 7n)).toEqual({ live: true, epoch: "7" });
  expect(updatesOf(true, 8n).epoch).not.toBe(updatesOf(true, 7n).epoch);
});
