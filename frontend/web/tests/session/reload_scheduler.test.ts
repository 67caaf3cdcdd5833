import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ReloadScheduler } from "../../src/session/reload_scheduler";

const timing = { minGapMs: 5_000, fallbackMs: 15_000 };

function started() {
  const reload = vi.fn();
  return { reload, scheduler: new ReloadScheduler(reload, timing) };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("nothing is loaded while the stream is up and announces no change", () => {
  const { reload, scheduler } = started();
  scheduler.update(true, "1");
  vi.advanceTimersByTime(60 * 60_000);
  scheduler.update(true, "1");
  vi.advanceTimersByTime(60 * 60_000);
  expect(reload).not.toHaveBeenCalled();
});

test("a change is loaded at once when the last load was long ago", () => {
  const { reload, scheduler } = started();
  scheduler.update(true, "1");
  vi.advanceTimersByTime(60_000);
  scheduler.update(true, "2");
  vi.advanceTimersByTime(0);
  expect(reload).toHaveBeenCalledTimes(1);
});

test("many changes are loaded at most once in five seconds", () => {
  const { reload, scheduler } = started();
  scheduler.update(true, "0");
  for (let second = 1; second <= 60; ++second) {
    scheduler.update(true, String(second));
    vi.advanceTimersByTime(1_000);
  }
  expect(reload.mock.calls.length).toBeGreaterThanOrEqual(11);
  expect(reload.mock.calls.length).toBeLessThanOrEqual(12);
});

test("data are loaded at intervals while the stream is down", () => {
  const { reload, scheduler } = started();
  scheduler.update(false, "1");
  vi.advanceTimersByTime(46_000);
  expect(reload).toHaveBeenCalledTimes(3);
  scheduler.update(true, "1");
  vi.advanceTimersByTime(60_000);
  expect(reload).toHaveBeenCalledTimes(3);
});

test("a hidden page loads nothing, and a change when it is visible again", () => {
  const { reload, scheduler } = started();
  scheduler.update(true, "1");
  scheduler.setVisible(false);
  scheduler.update(true, "2");
  vi.advanceTimersByTime(60_000);
  expect(reload).not.toHaveBeenCalled();
  scheduler.setVisible(true);
  vi.advanceTimersByTime(0);
  expect(reload).toHaveBeenCalledTimes(1);
});

test("a stopped page loads nothing", () => {
  const { reload, scheduler } = started();
  scheduler.update(false, "1");
  scheduler.stop();
  vi.advanceTimersByTime(60_000);
  expect(reload).not.toHaveBeenCalled();
});

test("a load that failed is repeated while the stream is up", () => {
  const { reload, scheduler } = started();
  scheduler.update(true, "1");
  scheduler.setFailed(true);
  vi.advanceTimersByTime(31_000);
  expect(reload).toHaveBeenCalledTimes(2);
  scheduler.setFailed(false);
  vi.advanceTimersByTime(60_000);
  expect(reload).toHaveBeenCalledTimes(2);
});

test("the first epoch that is known is no change", () => {
  const { reload, scheduler } = started();
  scheduler.update(false, "");
  scheduler.update(true, "1");
  vi.advanceTimersByTime(60_000);
  expect(reload).not.toHaveBeenCalled();
});

test("without an interval nothing is loaded while the stream is down", () => {
  const reload = vi.fn();
  const scheduler = new ReloadScheduler(reload, { minGapMs: 3_000 });
  scheduler.update(false, "");
  scheduler.setFailed(true);
  vi.advanceTimersByTime(60 * 60_000);
  expect(reload).not.toHaveBeenCalled();
  scheduler.update(true, "1");
  scheduler.update(true, "2");
  vi.advanceTimersByTime(0);
  expect(reload).toHaveBeenCalledTimes(1);
});

test("what was loaded before the stream was up is loaded once more", () => {
  const reload = vi.fn();
  const scheduler = new ReloadScheduler(reload, { ...timing, catchesUp: true });
  scheduler.update(false, "");
  scheduler.update(true, "1");
  vi.advanceTimersByTime(60_000);
  expect(reload).toHaveBeenCalledTimes(1);
});

test("what was loaded while the stream was up is not loaded again", () => {
  const reload = vi.fn();
  const scheduler = new ReloadScheduler(reload, { ...timing, catchesUp: true });
  scheduler.update(true, "1");
  vi.advanceTimersByTime(60_000);
  expect(reload).not.toHaveBeenCalled();
});

test("pages that see a change at the same moment load at different ones", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const reload = vi.fn();
  const scheduler = new ReloadScheduler(reload, { ...timing, spreadMs: 4_000 });
  scheduler.update(true, "1");
  vi.advanceTimersByTime(60_000);
  scheduler.update(true, "2");
  vi.advanceTimersByTime(1_900);
  expect(reload).not.toHaveBeenCalled();
  vi.advanceTimersByTime(200);
  expect(reload).toHaveBeenCalledTimes(1);
  vi.restoreAllMocks();
});

test("the first change may be loaded sooner than the others", () => {
  const reload = vi.fn();
  const scheduler = new ReloadScheduler(reload, {
    minGapMs: 60_000,
    firstGapMs: 5_000,
    fallbackMs: 60_000,
  });
  scheduler.update(true, "0");
  for (let second = 1; second <= 180; ++second) {
    scheduler.update(true, String(second));
    vi.advanceTimersByTime(1_000);
    if (second === 4) expect(reload).not.toHaveBeenCalled();
  }
  expect(reload).toHaveBeenCalledTimes(3);
});
