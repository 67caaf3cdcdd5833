import { expect, it } from "vitest";
import { logEvents } from "../../../src/features/job_page/startup_log";

const kAt = "2026-11-21T12:00:07.000Z";
const kAtMs = Date.UTC(2026, 10, 21, 12, 0, 7);

it("the log of a program tells no event", () => {
  expect(logEvents("environment entered image=x after_ms=1\n")).toEqual([]);
  expect(logEvents(`${kAt} info something new\n`)).toEqual([]);
});

it("the log tells when the container and the app started", () => {
  const text = [
    "output of a program",
    `${kAt} info environment entered image=base:1 after_ms=7040`,
    `${kAt} info app ready app=jupyter after_ms=3000`,
    `${kAt} info batch job ended exit_code=3 signal=0`,
  ].join("\n");
  expect(logEvents(text)).toEqual([
    {
      atMs: kAtMs,
      text: "Container started: base:1, after 7.0 s",
      isContainerStart: true,
    },
    { atMs: kAtMs, text: "App jupyter ready", isContainerStart: false },
    {
      atMs: kAtMs,
      text: "Program ended, exit code 3",
      isContainerStart: false,
    },
  ]);
});
