// compile_catalogues.mjs refuses what a translator or programmer forgot.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "catalogues-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Texts {
  readonly [key: string]: string;
}

function compile(en: Texts, de: Texts, sameAsEnglish: string[] = []) {
  const write = (code: string, settings: object, texts: Texts) => {
    const path = join(folder, "catalogues", code);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "language.json"), JSON.stringify(settings));
    writeFileSync(join(path, "jobs.json"), JSON.stringify(texts));
  };
  write("en", { name: "English", locale: "en-GB" }, en);
  write("de", { name: "Deutsch", locale: "de-DE", sameAsEnglish }, de);
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      "scripts/compile_catalogues.mjs",
      join(folder, "catalogues"),
      join(folder, "out"),
    ],
    { encoding: "utf8" },
  );
  return { ok: status === 0, problems: stderr };
}

it("a missing translation fails", () => {
  const { ok, problems } = compile({ stop: "Stop" }, {});
  expect(ok).toBe(false);
  expect(problems).toContain("de/jobs.json: stop: missing");
});

it("a text that is not translated fails", () => {
  const { ok, problems } = compile({ stop: "Stop" }, { stop: "Stop" });
  expect(ok).toBe(false);
  expect(problems).toContain("de/jobs.json: stop: not translated: Stop");
});

it("another argument than in English fails", () => {
  const { ok, problems } = compile(
    { left: "{time} left" },
    { left: "noch {zeit}" },
  );
  expect(ok).toBe(false);
  expect(problems).toContain(
    "de/jobs.json: left: arguments zeit (string), in English time (string)",
  );
});

it("an invalid text fails", () => {
  const { ok, problems } = compile({ left: "{time left" }, { left: "noch" });
  expect(ok).toBe(false);
  expect(problems).toContain("en/jobs.json: left: invalid text");
});

it("a plural without the case of others fails", () => {
  const { ok, problems } = compile(
    { jobs: "{count, plural, one {# job}}" },
    { jobs: "{count, plural, one {# Auftrag} other {# Aufträge}}" },
  );
  expect(ok).toBe(false);
  expect(problems).toContain('en/jobs.json: jobs: {count} has no case "other"');
});

it("a text that English does not have fails", () => {
  const { ok, problems } = compile({}, { start: "Starten" });
  expect(ok).toBe(false);
  expect(problems).toContain("start: not in the English catalogue");
});

it("a word that is the same in both languages is declared once", () => {
  const texts = { job: "Job", title: "Job" };
  expect(compile(texts, texts, ["Job"])).toEqual({ ok: true, problems: "" });
});

it("a declared word that differs fails", () => {
  const { ok, problems } = compile({ stop: "Stop" }, { stop: "Halt" }, [
    "Stop",
  ]);
  expect(ok).toBe(false);
  expect(problems).toContain("unused in sameAsEnglish: Stop");
});
