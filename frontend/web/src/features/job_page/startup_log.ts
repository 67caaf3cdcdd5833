// What Carme wrote at the beginning of a job's log: the start of its container
// and apps.
import { formatSeconds } from "../../lib/format/duration";
import { eventOf, parseLine } from "../jobs/log/log_lines";
import { formatFixed } from "../../lib/format/number";
import { messages } from "#messages/job_page";

export interface LogEvent {
  readonly atMs: number;
  readonly text: string;
  readonly isContainerStart: boolean;
}

type Fields = Readonly<Record<string, string>>;

const kTexts: Readonly<Record<string, (fields: Fields) => string>> = {
  "app ended": ({ app = "" }) => messages.appEnded({ app }),
  "app ready": ({ app = "" }) => messages.appReady({ app }),
  "app starting": ({ app = "" }) => messages.appStarting({ app }),
  "batch job ended": ({ exit_code: code = "" }) =>
    messages.batchEnded({ exitCode: code }),
  "batch job started": () => messages.batchStarted,
  "environment entered": ({ image = "", after_ms: ms = "" }) =>
    messages.containerStarted({ image, duration: formatShort(Number(ms)) }),
};

// "7.2 s", "2 min 5 s".
function formatShort(ms: number): string {
  return ms < 60_000
    ? messages.seconds({ seconds: formatFixed(ms / 1000, 1) })
    : formatSeconds(Math.round(ms / 1000));
}

export function logEvents(text: string): LogEvent[] {
  return text.split("\n").flatMap((each) => {
    const line = parseLine(each);
    if (line.atMs === undefined) return [];
    const { name, fields } = eventOf(line);
    const textOf = kTexts[name];
    if (!textOf) return [];
    return [
      {
        atMs: line.atMs,
        text: textOf(fields),
        isContainerStart: name === "environment entered",
      },
    ];
  });
}
