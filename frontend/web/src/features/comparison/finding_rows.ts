// What rules found in each of the jobs.
import type { JobFinding } from "#proto/findings";
import { formatRunTime } from "../../lib/format/duration";
import { findingRow } from "../findings/finding_rows";
import { ruleTexts } from "../findings/rule_texts";
import type { ComparedJob } from "./compared_job";
import { messages } from "#messages/comparison";

export interface ComparedFinding {
  readonly rule: string;
  readonly title: string;
  readonly cells: readonly FindingCell[]; // one for each job
}

export interface FindingCell {
  readonly text: string; // empty: not known, there are no samples
  readonly tone: "bad" | "wait" | "plain" | undefined; // undefined: not found
}

// A row for each rule. Findings that the owner of a job muted count, too: the
// comparison is of what happened.
export function comparedFindings(
  jobs: readonly ComparedJob[],
): ComparedFinding[] {
  const all = jobs.flatMap(({ receipt }) => receipt?.findings ?? []);
  const titles = new Map(all.map((each) => [each.rule, ruleTexts(each).title]));
  return [...titles].map(([rule, title]) => ({
    rule,
    title,
    cells: jobs.map(({ receipt }) =>
      receipt
        ? cellOf(receipt.findings.filter((each) => each.rule === rule))
        : { text: "", tone: undefined },
    ),
  }));
}

function cellOf(found: readonly JobFinding[]): FindingCell {
  const longest = [...found].sort((a, b) => Number(b.heldS - a.heldS))[0];
  if (!longest) return { text: messages.absentFinding, tone: undefined };
  const { severity, tone } = findingRow(longest, Date.now());
  const held = formatRunTime(Number(longest.heldS) * 1000);
  return { text: messages.findingFor({ severity, held }), tone };
}
