// Labels for the health of the site's components.
import {
  type ComponentHealth,
  HealthComponent,
  HealthState,
} from "#proto/admin";
import { msOf } from "../../lib/format/moment";
import { formatNumber } from "../../lib/format/number";
import { formatSize } from "../../lib/format/size";
import { formatMinutes } from "../../lib/format/duration";
import type { Tone } from "../jobs/job_labels";
import { messages } from "#messages/admin";

export interface ComponentLabel {
  readonly title: string;
  readonly purpose: string; // what fails without it
}

const kComponents: Record<HealthComponent, ComponentLabel> = {
  [HealthComponent.UNSPECIFIED]: { title: messages.other, purpose: "" },
  [HealthComponent.SLURMCTLD]: {
    title: messages.slurmController,
    purpose: messages.slurmctldAcceptsStartsAndStops,
  },
  [HealthComponent.SLURMDBD]: {
    title: messages.slurmAccounting,
    purpose: messages.slurmdbdReportsWhatJobsUsed,
  },
  [HealthComponent.NODES]: {
    title: messages.computeNodes,
    purpose: messages.runJobs,
  },
  [HealthComponent.DIRECTORY]: {
    title: messages.directory,
    purpose: messages.ldapChecksPasswordsAndGroups,
  },
  [HealthComponent.MAIL]: {
    title: messages.mailServer,
    purpose: messages.deliversNotifications,
  },
  [HealthComponent.DATABASE]: {
    title: messages.database,
    purpose: messages.storesSessionsJobsAndSettings,
  },
  [HealthComponent.AUDIT_LOG]: {
    title: messages.auditLog,
    purpose: messages.recordsEachChangeWithoutIt,
  },
  [HealthComponent.IMPERSONATOR]: {
    title: messages.impersonator,
    purpose: messages.submitsAndStopsJobsAs,
  },
  [HealthComponent.STORAGE_READER]: {
    title: messages.storageReader,
    purpose: messages.readsStorageUsageAsThe,
  },
  [HealthComponent.IDENTITY_BACKEND]: {
    title: messages.identityBackend,
    purpose: messages.logsUsersInForThisCluster,
  },
  [HealthComponent.PROXY]: {
    title: messages.proxy,
    purpose: messages.forwardsRequestsFromBrowsers,
  },
  [HealthComponent.AGENT_PORT]: {
    title: messages.agentPort,
    purpose: messages.jobsRegisterHereWhenThey,
  },
  [HealthComponent.CERTIFICATES]: {
    title: messages.certificates,
    purpose: messages.authenticateTheCarmeServices,
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
  [HealthState.UNSPECIFIED]: { tone: "neutral", text: messages.unknownState },
  [HealthState.OK]: { tone: "good", text: messages.healthy },
  [HealthState.DEGRADED]: { tone: "wait", text: messages.degraded },
  [HealthState.DOWN]: { tone: "bad", text: messages.down },
  [HealthState.UNKNOWN]: { tone: "neutral", text: messages.unknownState },
  [HealthState.DISABLED]: { tone: "neutral", text: messages.notConfigured },
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
    title: messages.slurm,
    components: [
      HealthComponent.SLURMCTLD,
      HealthComponent.SLURMDBD,
      HealthComponent.NODES,
    ],
  },
  {
    title: messages.siteServices,
    components: [HealthComponent.DIRECTORY, HealthComponent.MAIL],
  },
  {
    title: messages.carme,
    components: [
      HealthComponent.PROXY,
      HealthComponent.IMPERSONATOR,
      HealthComponent.STORAGE_READER,
      HealthComponent.IDENTITY_BACKEND,
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
    available === nodes ? messages.nodesAvailable({ count: nodes }) : undefined,
  );
  const total = number("total_bytes");
  add("free_bytes", (free) =>
    total === undefined
      ? messages.freeSpace({ free: formatSize(free) })
      : messages.freeSpaceOf({
          free: formatSize(free),
          total: formatSize(total),
        }),
  );
  add("head", (head) => messages.entries({ count: formatNumber(head) }));
  add("waiting", (waiting) =>
    waiting === 0
      ? undefined
      : messages.notWrittenYet({ count: formatNumber(waiting) }),
  );
  add("connected", (count) => messages.connections({ count }));
  add("connections", (count) => messages.connections({ count }));
  add("refused", (refused) =>
    refused === 0
      ? undefined
      : messages.rejected({ count: formatNumber(refused) }),
  );
  return label.filter((text): text is string => text !== undefined);
}

// "for 2 h 5 min"; empty if the start of the state is unknown.
export function sinceLabel(health: ComponentHealth, now: number): string {
  const since = msOf(health.since);
  if (since === undefined) return "";
  const minutes = Math.max(0, Math.floor((now - since) / 60_000));
  if (minutes < 1) return messages.forLessThanAMinute;
  const day = 24 * 60;
  const coarse = minutes < day ? minutes : minutes - (minutes % 60);
  return messages.forDuration({ duration: formatMinutes(coarse) });
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
    const text =
      degraded.length > 0
        ? messages.downAndDegradedComponents({
            down: down.join(", "),
            degraded: degraded.join(", "),
          })
        : messages.downComponents({ names: down.join(", ") });
    return { tone: "bad", text };
  }
  if (degraded.length > 0) {
    return {
      tone: "wait",
      text: messages.degradedComponents({ names: degraded.join(", ") }),
    };
  }
  const unknown = titles(HealthState.UNKNOWN);
  if (components.length === 0 || unknown.length > 0) {
    const text =
      unknown.length > 0
        ? messages.notCheckedYetComponents({ names: unknown.join(", ") })
        : messages.notCheckedYet;
    return { tone: "neutral", text };
  }
  return { tone: "good", text: messages.allComponentsAreHealthy };
}

// A component with a problem is expanded.
export function isTroubled(health: ComponentHealth): boolean {
  return (
    health.state === HealthState.DOWN || health.state === HealthState.DEGRADED
  );
}
