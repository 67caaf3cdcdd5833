import { describe, expect, it, vi } from "vitest";
import { MemberAction, ProjectAction } from "#proto/project";
import { applyMemberAction, applyProjectAction } from "../../src/api/project";

const calls = vi.hoisted((): string[] => []);

// Records each call as "method" or "method username".
vi.mock("../../src/api/transport", async () => {
  const { createRouterTransport } = await import("@connectrpc/connect");
  const { ProjectService } = await import("#proto/project");
  const record = (name: string) => (request: object) => {
    const username = "username" in request ? ` ${request.username}` : "";
    calls.push(name + username);
    return {};
  };
  const handlers = Object.fromEntries(
    Object.keys(ProjectService.method).map((name) => [name, record(name)]),
  );
  return {
    transport: createRouterTransport((router) => {
      router.service(ProjectService, handlers);
    }),
  };
});

function valuesOf<T extends number>(type: Record<string, T | string>): T[] {
  return Object.values(type).filter(
    (value): value is T => typeof value === "number" && value !== 0,
  );
}

async function called(run: () => Promise<unknown>): Promise<string> {
  calls.length = 0;
  await run();
  expect(calls).toHaveLength(1);
  return calls[0] ?? "";
}

describe("an action on a member", () => {
  it("has a method of its own", async () => {
    const methods = [];
    for (const action of valuesOf(MemberAction)) {
      methods.push(await called(() => applyMemberAction(action, "p", "bob")));
    }
    expect(methods).toEqual([
      "acceptInvitation",
      "declineInvitation",
      "withdrawMembershipRequest",
      "leaveProject",
      "approveMember bob",
      "rejectMember bob",
      "revokeInvitation bob",
      "removeMember bob",
      "confirmMember bob",
      "refuseMember bob",
      "promoteMember bob",
      "demoteManager bob",
      "transferOwnership bob",
    ]);
  });
});

describe("an action on a project", () => {
  it("has a method of its own", async () => {
    const methods = [];
    for (const action of [
      ProjectAction.APPROVE,
      ProjectAction.REJECT,
      ProjectAction.CLOSE,
      ProjectAction.REOPEN,
    ]) {
      methods.push(await called(() => applyProjectAction(action, "p")));
    }
    expect(methods).toEqual([
      "approveProject",
      "rejectProject",
      "closeProject",
      "reopenProject",
    ]);
  });

  it("is refused if it has a form of its own", () => {
    for (const action of [
      ProjectAction.CHANGE,
      ProjectAction.INVITE,
      ProjectAction.SET_TERMS,
    ]) {
      expect(() => applyProjectAction(action, "p")).toThrow();
    }
  });
});
