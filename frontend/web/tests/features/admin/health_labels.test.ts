import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  ComponentHealthSchema,
  HealthComponent,
  HealthState,
} from "#proto/admin";
import {
  componentLabel,
  figureLabel,
  kGroups,
  sinceLabel,
  stateLabel,
  summaryLabel,
} from "../../../src/features/admin/health_labels";

const now = Date.UTC(2026, 10, 23, 12);
const part = (component: HealthComponent, state: HealthState) =>
  create(ComponentHealthSchema, { component, state });
const values = (of: object) =>
  Object.values(of).filter((each): each is number => typeof each === "number");

describe("the components of the site", () => {
  it("have a name and a group", () => {
    const shown = kGroups.flatMap(({ components }) => components);
    for (const component of values(HealthComponent)) {
      if (component === HealthComponent.UNSPECIFIED) continue;
      expect(componentLabel(component).title).not.toBe("Other");
      expect(shown).toContain(component);
    }
    expect(new Set(shown).size).toBe(shown.length);
  });

  it("have a label for every state, also for unknown ones", () => {
    for (const state of values(HealthState)) {
      expect(stateLabel(state).text).not.toBe("");
    }
    expect(stateLabel(99 as HealthState).text).toBe("Unknown");
    expect(componentLabel(99 as HealthComponent).title).toBe("Other");
  });
});

describe("the summary", () => {
  it("lists failed components before degraded ones", () => {
    const mail = part(HealthComponent.MAIL, HealthState.DOWN);
    const database = part(HealthComponent.DATABASE, HealthState.DEGRADED);
    const slurm = part(HealthComponent.SLURMCTLD, HealthState.OK);
    expect(summaryLabel([slurm, database, mail])).toEqual({
      tone: "bad",
      text: "Down: Mail server. Degraded: Database",
    });
    expect(summaryLabel([slurm, database])).toEqual({
      tone: "wait",
      text: "Degraded: Database",
    });
    expect(summaryLabel([slurm]).text).toBe("All components are healthy");
  });

  it("does not judge unchecked components", () => {
    expect(summaryLabel([]).tone).toBe("neutral");
    const unknown = part(HealthComponent.MAIL, HealthState.UNKNOWN);
    const slurm = part(HealthComponent.SLURMCTLD, HealthState.OK);
    expect(summaryLabel([slurm, unknown]).text).toBe(
      "Not checked yet: Mail server",
    );
  });

  it("ignores components that are not configured", () => {
    const mail = part(HealthComponent.MAIL, HealthState.DISABLED);
    const slurm = part(HealthComponent.SLURMCTLD, HealthState.OK);
    expect(summaryLabel([slurm, mail]).text).toBe("All components are healthy");
  });
});

describe("the duration of a state", () => {
  const since = (ms: number) =>
    sinceLabel(
      create(ComponentHealthSchema, { since: timestampFromMs(now - ms) }),
      now,
    );
  it("is rounded", () => {
    expect(since(30_000)).toBe("for less than a minute");
    expect(since(125 * 60_000)).toBe("for 2 h 5 min");
    expect(since(26.5 * 60 * 60_000)).toBe("for 1 d 2 h");
    expect(since(-5000)).toBe("for less than a minute");
  });
  it("is empty if unknown", () => {
    expect(sinceLabel(create(ComponentHealthSchema, {}), now)).toBe("");
  });
});

describe("the figures", () => {
  it("are formatted", () => {
    const figures = { nodes: 4n, nodes_available: 4n };
    expect(figureLabel(create(ComponentHealthSchema, { figures }))).toEqual([
      "4 nodes available",
    ]);
    const disk = { free_bytes: 3221225472n, total_bytes: 53687091200n };
    expect(
      figureLabel(create(ComponentHealthSchema, { figures: disk })),
    ).toEqual(["3 GiB of 50 GiB free"]);
  });
  it("leave out zeros", () => {
    const figures = { connections: 1n, refused: 0n, waiting: 0n };
    expect(figureLabel(create(ComponentHealthSchema, { figures }))).toEqual([
      "1 connection",
    ]);
  });
});
