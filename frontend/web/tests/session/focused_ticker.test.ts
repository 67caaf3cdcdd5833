import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FocusedTicker } from "../../src/session/focused_ticker";

function started() {
  const tick = vi.fn();
  return { tick, ticker: new FocusedTicker(tick, 60_000) };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a page that is not watched asks for nothing", () => {
  const { tick, ticker } = started();
  ticker.setWatched(false);
  vi.advanceTimersByTime(60 * 60_000);
  expect(tick).not.toHaveBeenCalled();
  ticker.setWatched(true);
  ticker.setWatched(false);
  vi.advanceTimersByTime(60 * 60_000);
  expect(tick).not.toHaveBeenCalled();
});

test("a page that is stopped asks for nothing", () => {
  const { tick, ticker } = started();
  ticker.setWatched(true);
  ticker.stop();
  vi.advanceTimersByTime(60 * 60_000);
  expect(tick).not.toHaveBeenCalled();
});

test("a watched page asks at intervals", () => {
  const { tick, ticker } = started();
  ticker.setWatched(true);
  vi.advanceTimersByTime(181_000);
  expect(tick).toHaveBeenCalledTimes(3);
});

test("a page that is watched again asks once, if the interval is over", () => {
  const { tick, ticker } = started();
  ticker.setWatched(true);
  ticker.setWatched(false);
  vi.advanceTimersByTime(30_000);
  ticker.setWatched(true);
  vi.advanceTimersByTime(0);
  expect(tick).not.toHaveBeenCalled();
  ticker.setWatched(false);
  vi.advanceTimersByTime(10 * 60_000);
  ticker.setWatched(true);
  vi.advanceTimersByTime(0);
  expect(tick).toHaveBeenCalledTimes(1);
});
