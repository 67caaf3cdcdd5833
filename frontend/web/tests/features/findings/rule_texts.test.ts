import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { FoundRuleSchema, JobFindingSchema } from "#proto/findings";
import { ruleTexts } from "../../../src/features/findings/rule_texts";

const finding = create(JobFindingSchema, {
  title: "GPU held idle",
  remedy: "Stop the job.",
  translations: {
    de: { title: "GPU belegt", remedy: "Beenden Sie den Job." },
    fr: { title: "GPU inactif" },
  },
});

it("a rule without texts of the language has its own", () => {
  const own = { title: "GPU held idle", remedy: "Stop the job." };
  expect(ruleTexts(finding, "es")).toEqual(own);
  expect(ruleTexts(finding, "en")).toEqual(own);
  expect(ruleTexts(finding)).toEqual(own); // tests have English pages
});

it("a rule has the texts of the page's language", () => {
  expect(ruleTexts(finding, "de")).toEqual({
    title: "GPU belegt",
    remedy: "Beenden Sie den Job.",
  });
});

it("a rule has its own remedy if only the title is translated", () => {
  expect(ruleTexts(finding, "fr")).toEqual({
    title: "GPU inactif",
    remedy: "Stop the job.",
  });
});

it("a rule of a summary has a title only", () => {
  const rule = create(FoundRuleSchema, {
    title: "GPU held idle",
    translations: { de: { title: "GPU belegt" } },
  });
  expect(ruleTexts(rule, "de")).toEqual({ title: "GPU belegt", remedy: "" });
});
