import { describe, expect, it } from "vitest";
import { gridOf } from "../../../src/features/metrics/series/metric_grid";
import { overlay } from "../../../src/features/comparison/overlaid_plots";
import { kFromMs, kGap, loaded } from "../metrics/sample_metrics";

type Response = ReturnType<typeof loaded>;

const kMemory = "carme_job_memory_bytes";

function overlaid(...responses: (Response | undefined)[]) {
  return overlay(
    responses.map((response, at) => ({
      id: `job${at}`,
      label: `job ${at}`,
      startMs: response ? Number(response.fromMs) : kFromMs,
      grid: response && gridOf(response),
    })),
  );
}

const linesOf = (shown: ReturnType<typeof overlay>, id: string) =>
  shown?.plots
    .find((plot) => plot.id === id)
    ?.lines.map(({ values }) => values);

describe("overlaid plots", () => {
  it("are none if nothing is known of any job", () => {
    expect(overlaid(undefined, undefined)).toBeUndefined();
    expect(
      overlaid(loaded(5, { name: kMemory, values: [kGap] }))?.plots,
    ).toEqual([]);
  });

  it("have a line of gaps for a job of which nothing is known", () => {
    const shown = overlaid(
      loaded(5, { name: kMemory, values: [1, 2] }),
      undefined,
    );
    expect(linesOf(shown, "memory")).toEqual([
      [1, 2],
      [kGap, kGap],
    ]);
  });

  it("begin at the start of each job and end with the longest", () => {
    const later = loaded(5, { name: kMemory, values: [7, 8] });
    later.fromMs += 86_400_000n;
    const shown = overlaid(
      loaded(5, { name: kMemory, values: [1, 2, 3] }),
      later,
    );
    expect(shown!.grid.length).toBe(3);
    expect(shown!.grid.timeMs(2)).toBe(10_000);
    expect(linesOf(shown, "memory")).toEqual([
      [1, 2, 3],
      [7, 8, kGap],
    ]);
  });

  it("have sums over nodes, without the loopback, and means over GPUs", () => {
    const network = "carme_node_network_sent_bytes_total";
    const use = "carme_gpu_utilization_ratio";
    const shown = overlaid(
      loaded(
        5,
        { name: network, node: "n1", values: [0, 50] },
        { name: network, node: "n2", values: [0, 100] },
        { name: network, values: [0, 500], labels: { device: "lo" } },
        { name: use, values: [0.2], labels: { gpu: "0" } },
        { name: use, values: [0.6], labels: { gpu: "1" } },
      ),
    );
    expect(linesOf(shown, "network")).toEqual([[kGap, 30]]);
    expect(linesOf(shown, "gpu-utilization")).toEqual([[0.4, kGap]]);
  });

  it("have a plot for each value that a program of any job reports", () => {
    const shown = overlaid(
      loaded(5, { name: "carme_program_loss", values: [0.5] }),
      loaded(5, { name: "carme_program_tokens_per_second", values: [100] }),
    );
    expect(linesOf(shown, "carme_program_loss")).toEqual([[0.5], [kGap]]);
    expect(linesOf(shown, "carme_program_tokens_per_second")).toEqual([
      [kGap],
      [100],
    ]);
  });
});
