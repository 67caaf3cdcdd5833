import { expect, it } from "vitest";
import { formatMessage, type Part } from "../../../src/lib/language/message";

const kJobs: readonly Part[] = [
  "You have ",
  [
    "count",
    "plural",
    {
      "=0": ["no jobs"],
      one: [["count", "number"], " job"],
      other: [["count", "number"], " jobs"],
    },
  ],
  " in ",
  ["partition"],
];

it("an argument replaces its name", () => {
  const text = formatMessage(kJobs, { count: 2, partition: "gpu" });
  expect(text).toBe("You have 2 jobs in gpu");
});

it("an exact number goes before its plural category", () => {
  const text = formatMessage(kJobs, { count: 0, partition: "gpu" });
  expect(text).toBe("You have no jobs in gpu");
});

it("a large number is grouped, also in a plural", () => {
  const text = formatMessage(kJobs, { count: 1234n, partition: "gpu" });
  expect(text).toBe("You have 1,234 jobs in gpu");
});

it("an ID is not grouped", () => {
  expect(formatMessage([["id", "plain"]], { id: 1234 })).toBe("1234");
});

it("an unknown choice uses the case of others", () => {
  const parts: readonly Part[] = [
    ["kind", "select", { gpu: ["GPU"], other: ["device"] }],
  ];
  expect(formatMessage(parts, { kind: "gpu" })).toBe("GPU");
  expect(formatMessage(parts, { kind: "disk" })).toBe("device");
});
