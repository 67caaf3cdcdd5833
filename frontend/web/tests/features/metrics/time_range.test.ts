import { describe, expect, it } from "vitest";
import {
  pointAfterKey,
  PlotCursor,
} from "../../../src/features/metrics/plot/plot_cursor";
import { gridOf } from "../../../src/features/metrics/series/metric_grid";
import {
  boundsOf,
  kWhole,
  pointsIn,
} from "../../../src/features/metrics/series/time_range";
import { kFromMs, loaded } from "./sample_metrics";

const kGrid = gridOf(
  loaded(5, { name: "carme_job_memory_bytes", values: Array(241).fill(1) }),
);

describe("the visible time", () => {
  it("of the whole job has every point", () => {
    const bounds = boundsOf(kWhole, kGrid);
    expect(bounds).toEqual({ fromMs: kFromMs, toMs: kFromMs + 1_200_000 });
    expect(pointsIn(bounds, kGrid)).toEqual({ first: 0, end: 241 });
  });

  it("of the last minutes never begins before the job", () => {
    const last = (seconds: number) =>
      boundsOf({ kind: "last", seconds }, kGrid).fromMs - kFromMs;
    expect(last(600)).toBe(600_000);
    expect(last(3600)).toBe(0);
  });

  it("has only points inside of it", () => {
    const points = (from: number, to: number) =>
      pointsIn(
        { fromMs: kFromMs + from * 1000, toMs: kFromMs + to * 1000 },
        kGrid,
      );
    expect(points(3, 12)).toEqual({ first: 1, end: 3 });
    expect(points(-100, -50)).toEqual({ first: 0, end: 0 });
    expect(points(9_000, 9_999)).toEqual({ first: 241, end: 241 });
  });
});

describe("the cursor", () => {
  it("does not move with other keys, nor out of the visible time", () => {
    expect(pointAfterKey("a", 3, 0, 9)).toBeUndefined();
    expect(pointAfterKey("ArrowLeft", 0, 0, 9)).toBe(0);
    expect(pointAfterKey("ArrowRight", 9, 0, 9)).toBe(9);
  });

  it("begins at the newest point", () => {
    expect(pointAfterKey("ArrowLeft", undefined, 0, 9)).toBe(9);
    expect(pointAfterKey("Home", undefined, 2, 9)).toBe(2);
  });

  it("tells every plot once that it moved", () => {
    const cursor = new PlotCursor();
    const seen: (number | undefined)[] = [];
    const stop = cursor.listen((point) => seen.push(point));
    cursor.set(3);
    cursor.set(3);
    cursor.set(undefined);
    stop();
    cursor.set(4);
    expect(seen).toEqual([3, undefined]);
  });
});
