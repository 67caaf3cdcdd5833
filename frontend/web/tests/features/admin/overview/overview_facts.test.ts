import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  GetHealthResponseSchema,
  HealthComponent,
  HealthState,
  OwnedJobSchema,
} from "#proto/admin";
import { ClusterNodeSchema, NodeCondition } from "#proto/cluster_utilization";
import { JobState } from "#proto/jobs";
import {
  attentionOf,
  countJobs,
  gpuUse,
} from "../../../../src/features/admin/overview/overview_facts";

const kNow = Date.UTC(2026, 10, 28);
const job = (owner: string, state: JobState, minutesAgo = 0, held = false) =>
  create(OwnedJobSchema, {
    owner,
    job: {
      state,
      held,
      createdAt: timestampFromMs(kNow - minutesAgo * 60_000),
    },
  });
const node = (name: string, condition: NodeCondition, used: number) =>
  create(ClusterNodeSchema, {
    name,
    condition,
    reason: "disk",
    gpus: [{ type: "h200", used, total: 4 }],
  });

describe("countJobs", () => {
  it("counts a person with several jobs once", () => {
    const jobs = [
      job("ada", JobState.READY),
      job("ada", JobState.STARTING),
      job("bob", JobState.PENDING, 5),
    ];
    expect(countJobs(jobs, kNow)).toEqual({
      people: 1,
      running: 2,
      waiting: 1,
      oldestWaitMs: 300_000,
    });
  });

  it("does not take a held job for one that waits long", () => {
    expect(
      countJobs([job("ada", JobState.PENDING, 60, true)], kNow).oldestWaitMs,
    ).toBeUndefined();
  });
});

describe("gpuUse", () => {
  it("leaves out nodes that are down", () => {
    const nodes = [
      node("n1", NodeCondition.FULL, 4),
      node("n2", NodeCondition.DOWN, 0),
    ];
    expect(gpuUse(nodes)).toEqual([{ type: "h200", used: 4, total: 4 }]);
  });
});

describe("attentionOf", () => {
  it("names components, certificates and nodes", () => {
    const health = create(GetHealthResponseSchema, {
      components: [
        { component: HealthComponent.MAIL, state: HealthState.DOWN },
        { component: HealthComponent.SLURMCTLD, state: HealthState.OK },
        { component: HealthComponent.SLURMDBD, state: HealthState.DISABLED },
      ],
      certificates: [
        { program: "backend", soon: true, notAfter: timestampFromMs(kNow + 1) },
        { program: "proxy", notAfter: timestampFromMs(kNow - 1) },
        { program: "frontend", notAfter: timestampFromMs(kNow + 1e10) },
      ],
    });
    const nodes = [
      node("n1", NodeCondition.FREE, 0),
      node("n2", NodeCondition.OUT, 0),
    ];
    expect(attentionOf(health, nodes, kNow).map(({ key }) => key)).toEqual([
      `component ${HealthComponent.MAIL} `,
      "certificate backend ",
      "certificate proxy ",
      "node n2",
    ]);
  });

  it("is empty when nothing is wrong", () => {
    expect(attentionOf(undefined, [], kNow)).toEqual([]);
  });
});
