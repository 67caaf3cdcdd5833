import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  MemberAction,
  ProjectAction,
  ProjectMemberSchema,
  ProjectRole,
  ProjectSchema,
  ProjectState,
} from "#proto/project";
import {
  selectable,
  dayOf,
  endOfDay,
  endLabel,
  inOrder,
  memberActions,
  ownProjects,
  projectActions,
  projectsToDecide,
  stateLabel,
} from "../../../src/features/projects/project_labels";

const member = (may: MemberAction[], self = false) =>
  create(ProjectMemberSchema, { username: "bob", may, self });
const labels = (may: MemberAction[], self = false) =>
  memberActions(member(may, self)).map(({ label }) => label);

describe("the list of somebody's projects", () => {
  it("has requested ones of others apart", () => {
    const own = create(ProjectSchema, { id: "a", role: ProjectRole.OWNER });
    const asked = create(ProjectSchema, {
      id: "b",
      state: ProjectState.REQUESTED,
    });
    expect(ownProjects([own, asked])).toEqual([own]);
    expect(projectsToDecide([own, asked])).toEqual([asked]);
    expect(stateLabel(asked).text).toBe("pending approval");
  });
});

describe("what can be done with a member", () => {
  it("is what the server allows, and nothing else", () => {
    expect(labels([])).toEqual([]);
    expect(labels([MemberAction.ACCEPT, MemberAction.DECLINE], true)).toEqual([
      "Accept",
      "Decline",
    ]);
  });

  it("has a name for each act of the contract", () => {
    const actions = Object.values(MemberAction).filter(
      (action): action is MemberAction =>
        typeof action === "number" && action !== 0,
    );
    for (const action of actions)
      expect(memberActions(member([action]))).toHaveLength(1);
  });

  it("refuses who stands before the door instead of removing them", () => {
    expect(
      labels([MemberAction.REMOVE, MemberAction.CONFIRM, MemberAction.REFUSE]),
    ).toEqual(["Confirm", "Reject"]);
    expect(labels([MemberAction.REMOVE])).toEqual(["Remove…"]);
  });

  it("needs a confirmation if it cannot be undone", () => {
    const asks = memberActions(
      member([
        MemberAction.TRANSFER_OWNERSHIP,
        MemberAction.REMOVE,
        MemberAction.PROMOTE,
      ]),
    ).filter(({ ask }) => ask !== undefined);
    expect(asks.map(({ action }) => action)).toEqual([
      MemberAction.TRANSFER_OWNERSHIP,
      MemberAction.REMOVE,
    ]);
  });
});

describe("what can be done with a project", () => {
  const actions = (may: ProjectAction[], state = ProjectState.ACTIVE) =>
    projectActions(create(ProjectSchema, { may, state })).map(
      ({ label }) => label,
    );

  it("has no button for what has a form of its own", () => {
    expect(
      actions([
        ProjectAction.CHANGE,
        ProjectAction.INVITE,
        ProjectAction.SET_TERMS,
      ]),
    ).toEqual([]);
  });

  it("is called by what it does to one that waits", () => {
    const asked = ProjectState.REQUESTED;
    expect(actions([ProjectAction.CLOSE])).toEqual(["Close…"]);
    expect(actions([ProjectAction.CLOSE], asked)).toEqual(["Withdraw…"]);
    expect(
      actions(
        [ProjectAction.APPROVE, ProjectAction.REJECT, ProjectAction.CLOSE],
        asked,
      ),
    ).toEqual(["Approve", "Reject…"]);
  });
});

describe("an end", () => {
  it("is one in the past only once the project has expired", () => {
    const at = (state: ProjectState) =>
      endLabel(
        create(ProjectSchema, {
          state,
          expiresAt: { seconds: BigInt(Date.UTC(2027, 2, 3, 12) / 1000) },
        }),
      );
    expect(at(ProjectState.ACTIVE)).toBe("until 3 Mar 2027");
    expect(at(ProjectState.EXPIRED)).toBe("ended 3 Mar 2027");
    expect(endLabel(create(ProjectSchema, {}))).toBe("");
  });

  it("is the end of the day that was chosen", () => {
    const ms = endOfDay("2027-03-03");
    expect(dayOf(ms)).toBe("2027-03-03");
    expect(dayOf((ms ?? 0) + 1000)).toBe("2027-03-04");
    expect(endOfDay("soon")).toBeUndefined();
    expect(endOfDay("")).toBeUndefined();
    expect(dayOf(undefined)).toBe("");
  });
});

describe("a state", () => {
  it("has its own text", () => {
    const label = [1, 2, 3, 4].map(
      (state) => stateLabel(create(ProjectSchema, { state })).text,
    );
    expect(new Set(label).size).toBe(4);
    expect(label).not.toContain("unknown");
  });
});

describe("the projects that something may be given to", () => {
  const one = (id: string, state: ProjectState) =>
    create(ProjectSchema, { id, state });
  const all = [
    one("a", ProjectState.ACTIVE),
    one("b", ProjectState.CLOSED),
    one("c", ProjectState.EXPIRED),
    one("d", ProjectState.CLOSED),
  ];

  it("are not closed, but for those that have it already", () => {
    expect(selectable(all).map(({ id }) => id)).toEqual(["a", "c"]);
    expect(selectable(all, ["d"]).map(({ id }) => id)).toEqual(["a", "c", "d"]);
  });
});

it("shows projects that wait first, closed ones last", () => {
  const one = (id: string, state: ProjectState, waitingCount = 0) =>
    create(ProjectSchema, { id, state, waitingCount });
  const all = [
    one("a", ProjectState.CLOSED),
    one("b", ProjectState.ACTIVE),
    one("c", ProjectState.EXPIRED),
    one("d", ProjectState.ACTIVE, 1),
  ];
  expect(inOrder(all).map(({ id }) => id)).toEqual(["d", "b", "c", "a"]);
});
