import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  Declined,
  ReauthenticationGate,
} from "../../src/session/reauthentication_gate";

function refused(): ConnectError {
  const error = new ConnectError(
    "confirm your second factor",
    Code.FailedPrecondition,
  );
  error.details.push({
    type: "google.rpc.ErrorInfo",
    value: new Uint8Array(),
    debug: { reason: "REAUTHENTICATION_REQUIRED" },
  });
  return error;
}

// A gate with a session state; `asked` counts the dialogs.
function sample(fresh: boolean, answers: boolean) {
  const state = { fresh, asked: 0 };
  const gate = new ReauthenticationGate(
    () => state.fresh,
    async () => {
      state.asked++;
      if (answers) state.fresh = true;
      return answers;
    },
  );
  return { state, gate };
}

describe("an operation that requires reauthentication", () => {
  it("does not run when the user declines", async () => {
    const { gate } = sample(false, false);
    let done = 0;
    await expect(gate.pass(async () => done++)).rejects.toThrow(Declined);
    expect(done).toBe(0);
  });

  it("runs at once with a recent factor", async () => {
    const { gate, state } = sample(true, true);
    expect(await gate.pass(async () => "done")).toBe("done");
    expect(state.asked).toBe(0);
  });

  it("asks first if the page knows that it is required", async () => {
    const { gate, state } = sample(false, true);
    expect(await gate.pass(async () => "done")).toBe("done");
    expect(state.asked).toBe(1);
  });

  it("is repeated once if only the server requires it", async () => {
    const { gate, state } = sample(true, true);
    let calls = 0;
    const operation = async () => {
      if (++calls === 1) throw refused();
      return "done";
    };
    expect(await gate.pass(operation)).toBe("done");
    expect([calls, state.asked]).toEqual([2, 1]);
  });

  it("is repeated at most once", async () => {
    const { gate, state } = sample(true, true);
    const operation = async () => {
      throw refused();
    };
    await expect(gate.pass(operation)).rejects.toThrow("second factor");
    expect(state.asked).toBe(1);
  });

  it("passes other failures on", async () => {
    const { gate, state } = sample(true, true);
    const operation = async () => {
      throw new ConnectError("it is the last one", Code.FailedPrecondition);
    };
    await expect(gate.pass(operation)).rejects.toThrow("the last one");
    expect(state.asked).toBe(0);
  });
});

describe("two concurrent operations", () => {
  it("share one dialog", async () => {
    const { gate, state } = sample(false, true);
    const both = [gate.pass(async () => 1), gate.pass(async () => 2)];
    expect(await Promise.all(both)).toEqual([1, 2]);
    expect(state.asked).toBe(1);
  });
});
