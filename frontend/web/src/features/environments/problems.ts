// Problems of a text, at their places in it and in words.
import type { EnvironmentProblem } from "#proto/environment";

export interface Mark {
  readonly line: number; // from 1
  readonly severity: "error" | "warning";
  readonly message: string;
}

// Those that have a line of a text with so many lines. Where the last lines
// were deleted since, the end of the text is their place.
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

// "Line 3", "base.toml, line 3", "base.toml"; empty: the text as a whole.
export function locationLabel({ file, line }: EnvironmentProblem): string {
  if (file === "") return line > 0 ? `Line ${line}` : "";
  return line > 0 ? `${file}, line ${line}` : file;
}

// As the command `carme edf` and srun tell it: "Error 017".
export function numberLabel({ number }: EnvironmentProblem): string {
  return `Error ${String(number).padStart(3, "0")}`;
}
