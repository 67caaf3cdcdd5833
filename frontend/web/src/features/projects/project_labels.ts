// What a project is, and what can be done in it, in words for a person. The
// server says what may be done; here it only gets its name.
import {
  MemberAct,
  type Project,
  ProjectAct,
  type ProjectMember,
  ProjectRole,
  ProjectState,
} from "#proto/project";
import { formatDay, msOf } from "../../lib/format/moment";

export interface Label {
  readonly text: string;
  readonly tone: "good" | "wait" | "info" | "bad" | "neutral";
}

const kStates: Record<ProjectState, Label> = {
  [ProjectState.UNSPECIFIED]: { text: "unknown", tone: "bad" },
  [ProjectState.REQUESTED]: { text: "waits for approval", tone: "wait" },
  [ProjectState.ACTIVE]: { text: "active", tone: "good" },
  [ProjectState.EXPIRED]: { text: "expired", tone: "bad" },
  [ProjectState.CLOSED]: { text: "closed", tone: "neutral" },
};

export function stateLabel({ state }: Project): Label {
  return kStates[state] ?? kStates[ProjectState.UNSPECIFIED];
}

const kPlaces: Record<ProjectRole, Label> = {
  [ProjectRole.UNSPECIFIED]: { text: "no member", tone: "neutral" },
  [ProjectRole.INVITED]: { text: "invited", tone: "wait" },
  [ProjectRole.REQUESTED]: { text: "asks to join", tone: "wait" },
  [ProjectRole.WAITING]: { text: "waits for an administrator", tone: "wait" },
  [ProjectRole.MEMBER]: { text: "member", tone: "good" },
  [ProjectRole.MANAGER]: { text: "manager", tone: "good" },
  [ProjectRole.OWNER]: { text: "owner", tone: "good" },
};

export function locationLabel(role: ProjectRole): Label {
  return kPlaces[role] ?? kPlaces[ProjectRole.UNSPECIFIED];
}

export function isMember(role: ProjectRole): boolean {
  return role >= ProjectRole.MEMBER;
}

export interface ActionLabel {
  readonly action: MemberAct;
  readonly main: boolean; // what most people came for
  readonly label: string;
  readonly done: string; // what to say of it afterwards
  readonly ask?: string; // before it is done; absent: at once
}

// The order of the buttons: what lets somebody in comes first.
const kMemberActions: readonly (readonly [
  MemberAct,
  string,
  (name: string) => string,
  ((name: string) => string)?,
])[] = [
  [MemberAct.ACCEPT, "Accept", () => "You have accepted."],
  [MemberAct.APPROVE, "Let in", (name) => `You have agreed to ${name}.`],
  [MemberAct.CONFIRM, "Confirm", (name) => `${name} is a member now.`],
  [
    MemberAct.MAKE_MANAGER,
    "Make manager",
    (name) => `${name} manages the project, too.`,
  ],
  [
    MemberAct.UNMAKE_MANAGER,
    "Only a member",
    (name) => `${name} is a member, and manages it no more.`,
  ],
  [
    MemberAct.HAND_OVER,
    "Hand over…",
    (name) => `${name} owns the project now.`,
    (name) =>
      `${name} becomes the project's owner, and the owner a manager. Only ${name} can give it back.`,
  ],
  [MemberAct.DECLINE, "Decline", () => "You have declined."],
  [MemberAct.WITHDRAW, "Withdraw", () => "Your request is withdrawn."],
  [
    MemberAct.REJECT,
    "Not this time",
    (name) => `The request of ${name} is turned down.`,
  ],
  [
    MemberAct.REVOKE,
    "Take back",
    (name) => `The invitation of ${name} is taken back.`,
  ],
  [
    MemberAct.REFUSE,
    "Refuse",
    (name) => `${name} is not taken into the project.`,
  ],
  [
    MemberAct.REMOVE,
    "Remove…",
    (name) => `${name} is no member any more.`,
    (name) =>
      `No job of ${name} begins in the project any more. Jobs that run go on.`,
  ],
  [
    MemberAct.LEAVE,
    "Leave…",
    () => "You have left the project.",
    () =>
      "No job of yours begins in it any more, and to come back you must be let in again.",
  ],
];

// What lets somebody in.
const kWelcome = [MemberAct.ACCEPT, MemberAct.APPROVE, MemberAct.CONFIRM];

export function memberActions({
  username,
  self,
  may,
}: ProjectMember): ActionLabel[] {
  const offered = kMemberActions.filter(([action]) => {
    if (!may.includes(action)) return false;
    // One who stands before the door is refused, not removed.
    return action !== MemberAct.REMOVE || !may.includes(MemberAct.REFUSE);
  });
  return offered.map(([action, label, done, ask]) => {
    // Of oneself everything is in the second person.
    const stepsBack = self && action === MemberAct.UNMAKE_MANAGER;
    return {
      action,
      main: kWelcome.includes(action),
      label: stepsBack ? "Step back" : label,
      done: stepsBack ? "You are a member now." : done(username),
      ...(ask && { ask: ask(username) }),
    };
  });
}

export interface ProjectActionLabel {
  readonly action: ProjectAct;
  readonly main?: boolean;
  readonly label: string;
  readonly done: string;
  readonly ask?: string;
}

export function projectActions({ may, state }: Project): ProjectActionLabel[] {
  const asked = state === ProjectState.REQUESTED;
  const all: readonly ProjectActionLabel[] = [
    {
      action: ProjectAct.APPROVE,
      main: true,
      label: "Approve",
      done: "The project is active.",
    },
    {
      action: ProjectAct.REFUSE,
      label: "Refuse…",
      done: "The project was refused.",
      ask: "It is forgotten, and its owner is told.",
    },
    {
      action: ProjectAct.REOPEN,
      label: "Open again",
      done: "The project is open again.",
    },
    {
      action: ProjectAct.CLOSE,
      label: asked ? "Withdraw…" : "Close…",
      done: asked ? "The project is withdrawn." : "The project is closed.",
      ask: asked
        ? "It is forgotten."
        : "No job begins in it any more. Jobs that run go on. An administrator can open it again.",
    },
  ];
  return all.filter(({ action }) => {
    // Refusing says it better than withdrawing, where one may both.
    if (action === ProjectAct.CLOSE && may.includes(ProjectAct.REFUSE)) {
      return false;
    }
    return may.includes(action);
  });
}

// "until 3 Mar 2027", "ended 1 Jan 2026"; empty: it has no end.
export function endLabel({ expiresAt, state }: Project): string {
  const ms = msOf(expiresAt);
  if (ms === undefined) return "";
  const day = formatDay(ms);
  return state === ProjectState.EXPIRED ? `ended ${day}` : `until ${day}`;
}

// The day of an end as <input type="date"> has it, and back: the end of that
// day in the reader's zone.
export function dayOf(ms: number | undefined): string {
  if (ms === undefined) return "";
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function endOfDay(day: string): number | undefined {
  const ms = new Date(`${day}T23:59:59`).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

// Those that something may be given to: what was closed is only history, unless
// it was chosen before and can still be taken off.
export function selectable(
  projects: readonly Project[],
  chosen: readonly string[] = [],
): Project[] {
  return projects.filter(
    ({ id, state }) => state !== ProjectState.CLOSED || chosen.includes(id),
  );
}

// Those in which one has a role.
export function ownProjects(projects: readonly Project[]): readonly Project[] {
  return projects.filter(({ role }) => role !== ProjectRole.UNSPECIFIED);
}

// The others in one's list: requested projects, about which a manager of the
// site decides.
export function projectsToDecide(
  projects: readonly Project[],
): readonly Project[] {
  return projects.filter(({ role }) => role === ProjectRole.UNSPECIFIED);
}

// Those that wait for somebody first, those that are closed last.
export function inOrder(projects: readonly Project[]): Project[] {
  const rank = ({ waitingCount, state }: Project) =>
    waitingCount > 0 ? 0 : state === ProjectState.CLOSED ? 2 : 1;
  return [...projects].sort((a, b) => rank(a) - rank(b));
}
