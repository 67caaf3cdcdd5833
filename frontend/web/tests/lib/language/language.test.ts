import { expect, it } from "vitest";
import { languageOf } from "../../../src/lib/language/language";

it("the chosen language goes before those of the browser", () => {
  expect(languageOf("de", ["en-US"]).code).toBe("de");
});

it("without a choice the first language with a catalogue is shown", () => {
  expect(languageOf(null, ["fr-FR", "de-AT", "en"]).code).toBe("de");
});

it("a choice without a catalogue is ignored", () => {
  expect(languageOf("xx", ["de"]).code).toBe("de");
});

it("English is shown if no language has a catalogue", () => {
  expect(languageOf(null, ["fr", "nl"]).code).toBe("en");
});
