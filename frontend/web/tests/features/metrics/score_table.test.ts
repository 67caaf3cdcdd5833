import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { h } from "preact";
import { describe, expect, it } from "vitest";
import {
  JobReceiptSchema,
  RatedUse_Rating as Rating,
  ScoreRow_Phase as Phase,
} from "#proto/findings";
import { ScoreTable } from "../../../src/features/metrics/score_table";
import { scoreGroups } from "../../../src/features/metrics/series/score_rows";
import { ratingOf } from "../../../src/features/metrics/series/gpu_ratings";
import { rendered } from "../../ui/rendered";

const receipt = (init: MessageInitShape<typeof JobReceiptSchema>) =>
  create(JobReceiptSchema, init);
const kParts = {
  smActive: 0.9,
  smOccupancy: 0.5,
  flopActive: 1.2,
  tensorActive: 0.7,
  fp16Active: 0.3,
  fp32Active: 0.2,
  fp64Active: 0,
};
const score = (mean: number) => ({ mean, median: 0.5, components: kParts });
const textOf = (html: string) =>
  html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

describe("the score of a job", () => {
  it("is not shown without its components", () => {
    const bare = receipt({ score: { mean: 0.75, median: 0.75 } });
    const { html } = rendered(h(ScoreTable, { receipt: bare }));
    expect(html).not.toContain("0.75");
    expect(scoreGroups(receipt({}))).toEqual([]);
    expect(rendered(h(ScoreTable, { receipt: receipt({}) })).html).toBe("");
  });

  it("is shown with its components and with ratings as words", () => {
    const { html } = rendered(
      h(ScoreTable, {
        receipt: receipt({
          score: score(0.61),
          ratings: {
            start: { value: 87.5, rating: Rating.GOOD },
            utilization: { value: 44, rating: Rating.IMPROVE },
            compute: { value: 0.06, rating: Rating.POOR },
            power: { value: 420, rating: Rating.ACCEPTABLE },
            powerLimitWatts: 700,
          },
        }),
      }),
    );
    const text = textOf(html);
    for (const part of [
      "0.61",
      "90 %",
      "120 %",
      "44 % (improve)",
      "0.06 (poor)",
      "420 W (acceptable)",
      "87.5 % (good)",
      "700 W",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("has rows for GPUs, ranks and phases", () => {
    const groups = scoreGroups(
      receipt({
        score: score(0.6),
        report: {
          gpus: [
            { node: "n1", gpus: ["0"], score: score(0.5) },
            { node: "n2", gpus: ["3"] },
          ],
          omittedGpus: 7,
          ranks: [
            {
              node: "n1",
              gpus: ["0", "1"],
              step: "2",
              rank: "4",
              isShared: true,
              score: score(0.4),
            },
          ],
          phases: [
            { phase: Phase.BEFORE_FIRST_STEP, lengthS: 90n, score: score(0.1) },
            { phase: Phase.FROM_FIRST_STEP, lengthS: 600n, score: score(0.7) },
            {
              phase: Phase.OF_PROGRAM,
              phaseName: "test",
              lengthS: 5n,
              score: score(0.2),
            },
          ],
        },
      }),
    );
    expect(
      groups.map(({ title, omitted, rows }) => [
        title,
        omitted,
        ...rows.map((row) => `${row.label}: ${row.score}`),
      ]),
    ).toEqual([
      ["Whole job", 0, "Whole job: 0.60"],
      ["GPUs", 7, "GPU 0 · n1: 0.50", "GPU 3 · n2: –"],
      [
        "Ranks",
        0,
        "rank 4 · step 2 · GPU 0 · GPU 1 · n1 · shares the GPU with other ranks: 0.40",
      ],
      [
        "Phases",
        0,
        "Before the first step · 1 min 30 s: 0.10",
        "From the first step on · 10 min: 0.70",
        "test · 5 s: 0.20",
      ],
    ]);
  });

  it("has no rows for the only GPU", () => {
    const groups = scoreGroups(
      receipt({ score: score(0.6), report: { gpus: [{ gpus: ["0"] }] } }),
    );
    expect(groups.map(({ title }) => title)).toEqual(["Whole job"]);
  });
});

it("values at a published limit have the lower rating", () => {
  expect(ratingOf("utilization", 25)).toBe(Rating.POOR);
  expect(ratingOf("utilization", 25.1)).toBe(Rating.IMPROVE);
  expect(ratingOf("utilization", 75)).toBe(Rating.ACCEPTABLE);
  expect(ratingOf("utilization", 75.1)).toBe(Rating.GOOD);
  expect(ratingOf("compute", 0.125)).toBe(Rating.IMPROVE);
  expect(ratingOf("powerShare", 500 / 700)).toBe(Rating.ACCEPTABLE);
  expect(ratingOf("powerShare", 0.72)).toBe(Rating.GOOD);
});
