// The selection of the usage page, as query string.
import type { Project } from "#proto/project";
import { messages } from "#messages/insights";

export interface UsageForm {
  readonly owner: string; // as in owner_filter.ts
  readonly by: "GPU_TYPE" | "PROJECT" | "USER";
  readonly span: string; // a key of kSpans
}

export const kSpans: Readonly<Record<string, { readonly label: string }>> = {
  week: { label: messages.last7Days },
  month: { label: messages.last30Days },
  quarter: { label: messages.last90Days },
  year: { label: messages.last365Days },
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
