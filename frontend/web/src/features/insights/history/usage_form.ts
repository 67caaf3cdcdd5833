// The selection of the usage page, as query string.
import type { Project } from "#proto/project";
import { messages } from "../messages";

export interface UsageForm {
  readonly owner: string; // as in owner_filter.ts
  readonly by: "GPU_TYPE" | "PROJECT" | "USER";
  readonly span: string; // a key of kSpans
}

const kDay = 24 * 3600 * 1000;

export const kSpans: Readonly<
  Record<string, { readonly label: string; readonly ms: number }>
> = {
  week: { label: messages.last7Days, ms: 7 * kDay },
  month: { label: messages.last30Days, ms: 30 * kDay },
  quarter: { label: messages.last90Days, ms: 90 * kDay },
  year: { label: messages.last365Days, ms: 365 * kDay },
};

export function usageOfQuery(query: string): UsageForm {
  const params = new URLSearchParams(query);
  const by = params.get("by");
  const span = params.get("span") ?? "";
  return {
    owner: params.get("owner") ?? "",
    by: by === "PROJECT" || by === "USER" ? by : "GPU_TYPE",
    span: Object.hasOwn(kSpans, span) ? span : "month",
  };
}

export function queryOfUsage({ owner, by, span }: UsageForm): string {
  const params = new URLSearchParams();
  if (owner) params.set("owner", owner);
  if (by !== "GPU_TYPE") params.set("by", by);
  if (span !== "month") params.set("span", span);
  return params.toString();
}

// The start of a period that ends now.
export function spanOf(span: string, now: number): number {
  return now - (kSpans[span] ?? kSpans.month!).ms;
}

export function labelOf(
  by: UsageForm["by"],
  key: string,
  gpus: boolean, // the row has GPU usage
  projects: readonly Project[],
): string {
  if (by === "PROJECT") {
    const known = projects.find(({ id }) => id === key)?.settings?.name;
    return key ? (known ?? key) : messages.noProject;
  }
  if (by === "GPU_TYPE" && !key)
    return gpus ? messages.anyGpuType : messages.noGpu;
  return key.replaceAll(",", ", ");
}
