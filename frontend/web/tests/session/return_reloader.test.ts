import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ReturnReloader } from "../../src/session/return_reloader";

function started() {
  const reload = vi.fn();
  return { reload, reloader: new ReturnReloader(reload, 60_000) };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a watched page loads nothing as time passes", () => {
  const { reload, reloader } = started();
  reloader.setWatched(true);
  vi.advanceTimersByTime(60 * 60_000);
  reloader.setWatched(true);
  expect(reload).not.toHaveBeenCalled();
});

test("a page that is not watched loads nothing", () => {
  const { reload, reloader } = started();
  reloader.setWatched(false);
  vi.advanceTimersByTime(60 * 60_000);
  expect(reload).not.toHaveBeenCalled();
});

test("a return after a short time loads nothing", () => {
  const { reload, reloader } = started();
  for (let i = 0; i < 59; ++i) {
    reloader.setWatched(false);
    vi.advanceTimersByTime(1_000);
    reloader.setWatched(true);
  }
  expect(reload).not.toHaveBeenCalled();
});

test("a return after a longer time loads once", () => {
  const { reload, reloader } = started();
  reloader.setWatched(false);
  vi.advanceTimersByTime(60_000);
  reloader.setWatched(true);
  reloader.setWatched(false);
  reloader.setWatched(true);
  expect(reload).toHaveBeenCalledTimes(1);
});
