import { describe, expect, it } from "vitest";
import { gridOf } from "../../../src/features/metrics/series/metric_grid";
import { plotsOf } from "../../../src/features/metrics/series/plots";
import { kGap, loaded } from "./sample_metrics";

const kNothing = { cpusPerNode: 0 };
const kCpu = "carme_job_cpu_seconds_total";

describe("the plots of a job", () => {
  it("are none for series without a value", () => {
    const grid = gridOf(
      loaded(5, { name: "carme_job_memory_bytes", values: [kGap, kGap] }),
    );
    expect(plotsOf(grid, kNothing)).toEqual([]);
  });

  it("are none for which ranks use which GPUs", () => {
    const grid = gridOf(
      loaded(5, {
        name: "carme_gpu_rank_info",
        values: [1],
        labels: { gpu: "0", rank: "0" },
      }),
    );
    expect(plotsOf(grid, kNothing)).toEqual([]);
  });

  it("have the rate of CPU time and the requested cores as a limit", () => {
    const grid = gridOf(loaded(5, { name: kCpu, values: [0, 10, 20] }));
    const [cpu] = plotsOf(grid, { cpusPerNode: 4 });
    expect(cpu!.unit).toBe("cores");
    expect(cpu!.lines.map(({ label, values }) => [label, ...values])).toEqual([
      ["job", kGap, 2, 2],
      ["limit", 4, 4, 4],
    ]);
  });

  it("leave out steps if there is a sum of the job, and the loopback", () => {
    const grid = gridOf(
      loaded(
        5,
        { name: kCpu, values: [0, 10] },
        { name: kCpu, values: [0, 5], labels: { step: "0" } },
        {
          name: "carme_node_network_sent_bytes_total",
          values: [0, 10],
          labels: { device: "lo" },
        },
      ),
    );
    const plots = plotsOf(grid, kNothing);
    expect(plots.map(({ id, lines }) => [id, lines.length])).toEqual([
      ["cpu", 1],
    ]);
  });

  it("name the node only if there are several", () => {
    const of = (...nodes: string[]) =>
      plotsOf(
        gridOf(
          loaded(
            5,
            ...nodes.map((node) => ({ name: kCpu, values: [0, 1], node })),
          ),
        ),
        kNothing,
      )[0]!.lines.map(({ label }) => label);
    expect(of("n1")).toEqual(["job"]);
    expect(of("n1", "n2")).toEqual(["n1", "n2"]);
  });

  it("keep the newest value until the next one is due, then show a gap", () => {
    const grid = gridOf(
      loaded(
        5,
        { name: "carme_rank_memory_bytes", values: [1], labels: { rank: "0" } },
        {
          name: "carme_rank_memory_bytes",
          values: [1, 2, 3, 4, 5],
          labels: { rank: "1" },
        },
      ),
    );
    const [plot] = plotsOf(grid, kNothing);
    expect(plot!.lines[0]!.values).toEqual([1, 1, 1, kGap, kGap]);
  });

  it("are a heat map for more than 8 GPUs", () => {
    const of = (gpus: number) =>
      plotsOf(
        gridOf(
          loaded(
            5,
            ...Array.from({ length: gpus }, (_, gpu) => ({
              name: "carme_gpu_utilization_ratio",
              values: [0.5],
              labels: { gpu: String(gpu) },
            })),
          ),
        ),
        kNothing,
      )[0]!;
    expect(of(8).isHeatMap).toBe(false);
    expect(of(9).isHeatMap).toBe(true);
    expect(of(9).lines).toHaveLength(9);
  });

  it("say how many small lines are not shown", () => {
    const grid = gridOf(
      loaded(
        5,
        ...Array.from({ length: 12 }, (_, rank) => ({
          name: "carme_rank_memory_bytes",
          values: [rank],
          labels: { rank: String(rank) },
        })),
      ),
    );
    const [plot] = plotsOf(grid, kNothing);
    expect(plot!.omitted).toBe(2);
    expect(plot!.lines[0]!.label).toBe("rank 2");
  });

  it("show values of the program and unknown values of GPUs by name", () => {
    const grid = gridOf(
      loaded(
        5,
        {
          name: "carme_program_loss",
          values: [0.25],
          labels: { origin: "output" },
        },
        { name: "carme_program_tokens_total", values: [0, 50] },
        { name: "carme_gpu_fan_ratio", values: [0.5] },
      ),
    );
    const plots = plotsOf(grid, kNothing);
    expect(plots[0]!.lines[0]!.label).toBe("loss");
    expect(plots.map(({ title, unit }) => [title, unit])).toEqual([
      ["loss", "number"],
      ["tokens per second", "perSecond"],
      ["GPU fan ratio", "ratio"],
    ]);
  });

  it("have one line for limits that are all the same", () => {
    const limits = (...watts: number[]) =>
      plotsOf(
        gridOf(
          loaded(
            5,
            ...watts.flatMap((value, gpu) => [
              {
                name: "carme_gpu_power_watts",
                values: [100],
                labels: { gpu: String(gpu), uuid: `GPU-${gpu}`, model: "H200" },
              },
              {
                name: "carme_gpu_power_limit_watts",
                values: [value],
                labels: { gpu: String(gpu), uuid: `GPU-${gpu}`, model: "H200" },
              },
            ]),
          ),
        ),
        kNothing,
      )[0]!.lines.map(({ label }) => label);
    expect(limits(700, 700)).toEqual([
      "power · GPU 0",
      "power · GPU 1",
      "limit",
    ]);
    expect(limits(700, 500).slice(2)).toEqual([
      "limit · GPU 0",
      "limit · GPU 1",
    ]);
  });
});
