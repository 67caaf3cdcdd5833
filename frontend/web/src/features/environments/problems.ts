// Marks and labels for the problems of a text.
import type { EnvironmentProblem } from "#proto/environment";
import { messages } from "#messages/environments";

export interface Mark {
  readonly line: number; // from 1
  readonly severity: "error" | "warning";
  readonly message: string;
}

// The problems with a line number. Numbers beyond the last line are moved to
// the last line.
export function marksOf(
  problems: readonly EnvironmentProblem[],
  warnings: readonly EnvironmentProblem[],
  lines: number,
): Mark[] {
  const marks = (
    list: readonly EnvironmentProblem[],
    severity: Mark["severity"],
  ) =>
    list
      .filter(({ file, line }) => file === "" && line > 0)
      .map(({ line, text }) => ({
        line: Math.min(line, lines),
        severity,
        message: text,
      }));
  return [...marks(problems, "error"), ...marks(warnings, "warning")].sort(
    (a, b) => a.line - b.line,
  );
}

// "Line 3", "base.toml, line 3", "base.toml"; empty for the whole text.
export function locationLabel({ file, line }: EnvironmentProblem): string {
  if (file === "") return line > 0 ? messages.line({ line }) : "";
  return line > 0 ? messages.fileAndLine({ file, line }) : file;
}

// "Error 017", as in the output of `carme edf` and srun.
export function numberLabel({ number }: EnvironmentProblem): string {
  return messages.errorNumber({ digits: String(number).padStart(3, "0") });
}
