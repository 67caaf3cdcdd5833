// Labels for the health of the site's components.
import {
  type ComponentHealth,
  HealthComponent,
  HealthState,
} from "#proto/admin";
import { count } from "../../lib/format/count";
import { msOf } from "../../lib/format/moment";
import { formatNumber, formatSize } from "../../lib/format/size";
import { formatMinutes } from "../../lib/format/duration";
import type { Tone } from "../jobs/job_labels";

export interface ComponentLabel {
  readonly title: string;
  readonly purpose: string; // what fails without it
}

const kComponents: Record<HealthComponent, ComponentLabel> = {
  [HealthComponent.UNSPECIFIED]: { title: "Other", purpose: "" },
  [HealthComponent.SLURMCTLD]: {
    title: "Slurm controller",
    purpose: "slurmctld: accepts, starts and stops jobs",
  },
  [HealthComponent.SLURMDBD]: {
    title: "Slurm accounting",
    purpose: "slurmdbd: reports what jobs used",
  },
  [HealthComponent.NODES]: {
    title: "Compute nodes",
    purpose: "Run jobs",
  },
  [HealthComponent.DIRECTORY]: {
    title: "Directory",
    purpose: "LDAP: checks passwords and groups",
  },
  [HealthComponent.MAIL]: {
    title: "Mail server",
    purpose: "Delivers notifications",
  },
  [HealthComponent.DATABASE]: {
    title: "Database",
    purpose: "Stores sessions, jobs and settings",
  },
  [HealthComponent.AUDIT_LOG]: {
    title: "Audit log",
    purpose: "Records each change; without it changes are rejected",
  },
  [HealthComponent.IMPERSONATOR]: {
    title: "Impersonator",
    purpose: "Submits and stops jobs as the user",
  },
  [HealthComponent.STORAGE_READER]: {
    title: "Storage reader",
    purpose: "Reads storage usage as the user",
  },
  [HealthComponent.PROXY]: {
    title: "Proxy",
    purpose: "Forwards requests from browsers to apps",
  },
  [HealthComponent.AGENT_PORT]: {
    title: "Agent port",
    purpose: "Jobs register here when they start",
  },
  [HealthComponent.CERTIFICATES]: {
    title: "Certificates",
    purpose: "Authenticate the Carme services to each other",
  },
};

export function componentLabel(component: HealthComponent): ComponentLabel {
  return kComponents[component] ?? kComponents[HealthComponent.UNSPECIFIED];
}

export interface StateLabel {
  readonly tone: Tone;
  readonly text: string;
}

const kStates: Record<HealthState, StateLabel> = {
  [HealthState.UNSPECIFIED]: { tone: "neutral", text: "Unknown" },
  [HealthState.OK]: { tone: "good", text: "Healthy" },
  [HealthState.DEGRADED]: { tone: "wait", text: "Degraded" },
  [HealthState.DOWN]: { tone: "bad", text: "Down" },
  [HealthState.UNKNOWN]: { tone: "neutral", text: "Unknown" },
  [HealthState.DISABLED]: { tone: "neutral", text: "Not configured" },
};

export function stateLabel(state: HealthState): StateLabel {
  return kStates[state] ?? kStates[HealthState.UNSPECIFIED];
}

export interface ComponentGroup {
  readonly title: string;
  readonly components: readonly HealthComponent[];
}

export const kGroups: readonly ComponentGroup[] = [
  {
    title: "Slurm",
    components: [
      HealthComponent.SLURMCTLD,
      HealthComponent.SLURMDBD,
      HealthComponent.NODES,
    ],
  },
  {
    title: "Site services",
    components: [HealthComponent.DIRECTORY, HealthComponent.MAIL],
  },
  {
    title: "Carme",
    components: [
      HealthComponent.PROXY,
      HealthComponent.IMPERSONATOR,
      HealthComponent.STORAGE_READER,
      HealthComponent.AGENT_PORT,
      HealthComponent.DATABASE,
      HealthComponent.AUDIT_LOG,
      HealthComponent.CERTIFICATES,
    ],
  },
];

// The relevant numbers of a component, most important first.
export function figureLabel(health: ComponentHealth): string[] {
  const { figures } = health;
  const number = (key: string) =>
    figures[key] === undefined ? undefined : Number(figures[key]);
  const label: (string | undefined)[] = [];
  const add = (key: string, text: (value: number) => string | undefined) => {
    const value = number(key);
    if (value !== undefined) label.push(text(value));
  };
  const nodes = number("nodes");
  // Unavailable nodes are part of the detail text.
  add("nodes_available", (available) =>
    available === nodes ? `${count(nodes, "node")} available` : undefined,
  );
  const total = number("total_bytes");
  add("free_bytes", (free) =>
    total === undefined
      ? `${formatSize(free)} free`
      : `${formatSize(free)} of ${formatSize(total)} free`,
  );
  add("head", (head) => `${formatNumber(head)} entries`);
  add("waiting", (waiting) =>
    waiting === 0 ? undefined : `${formatNumber(waiting)} not written yet`,
  );
  add("connected", (connected) => `${count(connected, "connection")}`);
  add("connections", (connections) => count(connections, "connection"));
  add("refused", (refused) =>
    refused === 0 ? undefined : `${formatNumber(refused)} rejected`,
  );
  return label.filter((text): text is string => text !== undefined);
}

// "for 2 h 5 min"; empty if the start of the state is unknown.
export function sinceLabel(health: ComponentHealth, now: number): string {
  const since = msOf(health.since);
  if (since === undefined) return "";
  const minutes = Math.max(0, Math.floor((now - since) / 60_000));
  if (minutes < 1) return "for less than a minute";
  const day = 24 * 60;
  const coarse = minutes < day ? minutes : minutes - (minutes % 60);
  return `for ${formatMinutes(coarse)}`;
}

// The summary at the top of the page.
export function summaryLabel(
  components: readonly ComponentHealth[],
): StateLabel {
  const titles = (state: HealthState) =>
    components
      .filter((health) => health.state === state)
      .map((health) => componentLabel(health.component).title);
  const down = titles(HealthState.DOWN);
  const degraded = titles(HealthState.DEGRADED);
  if (down.length > 0) {
    const more =
      degraded.length > 0 ? `. Degraded: ${degraded.join(", ")}` : "";
    return { tone: "bad", text: `Down: ${down.join(", ")}${more}` };
  }
  if (degraded.length > 0) {
    return { tone: "wait", text: `Degraded: ${degraded.join(", ")}` };
  }
  const unknown = titles(HealthState.UNKNOWN);
  if (components.length === 0 || unknown.length > 0) {
    const names = unknown.length > 0 ? `: ${unknown.join(", ")}` : "";
    return { tone: "neutral", text: `Not checked yet${names}` };
  }
  return { tone: "good", text: "All components are healthy" };
}

// A component with a problem is expanded.
export function isTroubled(health: ComponentHealth): boolean {
  return (
    health.state === HealthState.DOWN || health.state === HealthState.DEGRADED
  );
}
