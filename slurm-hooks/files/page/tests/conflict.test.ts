import { describe, expect, test } from "vitest";
import { type Answer, ConflictQuestions } from "../src/uploads/conflict";
import { planTransfer } from "../src/tasks/transfer";

describe("questions about taken names", () => {
  test("are asked one at a time", async () => {
    let open = 0;
    let most = 0;
    const questions = new ConflictQuestions(async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 1));
      open -= 1;
      return { choice: "skip", forAll: false };
    });
    const names = ["a", "b", "c"];
    await Promise.all(names.map((name) => questions.choiceFor(name, () => 0)));
    expect(most).toBe(1);
  });

  test("end with an answer for all, also for those that wait", async () => {
    const asked: string[] = [];
    const questions = new ConflictQuestions(async (name) => {
      asked.push(name);
      return { choice: "replace", forAll: true };
    });
    const names = ["a", "b", "c"];
    const choices = await Promise.all(
      names.map((name) => questions.choiceFor(name, () => 0)),
    );
    expect(asked).toEqual(["a"]);
    expect(choices).toEqual(["replace", "replace", "replace"]);
  });
});

function asking(answers: Answer[]) {
  const asked: string[] = [];
  return {
    asked,
    ask: async (name: string) => {
      asked.push(name);
      return answers.shift()!;
    },
  };
}

describe("a plan to move or copy", () => {
  test("refuses to put a folder into itself", async () => {
    const { ask } = asking([]);
    const plan = await planTransfer("move", ["/a", "/ab"], "/a/b", [], ask);
    expect(plan.impossible).toEqual(["/a"]);
    expect(plan.transfers).toEqual([{ path: "/ab", to: "/a/b/ab" }]);
  });

  test("never names a target that exists", async () => {
    const { ask, asked } = asking([{ choice: "keep both", forAll: true }]);
    const paths = ["/x/a.txt", "/y/a.txt", "/x/b"];
    const taken = ["a.txt", "a%20%282%29.txt"];
    const plan = await planTransfer("copy", paths, "/z", taken, ask);
    expect(asked).toEqual(["a.txt"]);
    expect(plan.transfers.map(({ to }) => to)).toEqual([
      "/z/a%20%283%29.txt",
      "/z/a%20%284%29.txt",
      "/z/b",
    ]);
  });

  test("leaves out what is skipped", async () => {
    const { ask } = asking([
      { choice: "skip", forAll: false },
      { choice: "keep both", forAll: false },
    ]);
    const plan = await planTransfer(
      "move",
      ["/x/a", "/x/b"],
      "/z",
      ["a", "b"],
      ask,
    );
    expect(plan.transfers).toEqual([{ path: "/x/b", to: "/z/b%20%282%29" }]);
  });

  test("copies beside the original without a question", async () => {
    const { ask, asked } = asking([]);
    const plan = await planTransfer("copy", ["/x/a"], "/x", ["a"], ask);
    expect(asked).toEqual([]);
    expect(plan.transfers).toEqual([{ path: "/x/a", to: "/x/a%20%282%29" }]);
  });

  test("does not move what is there already", async () => {
    const { ask } = asking([]);
    const plan = await planTransfer("move", ["/x/a"], "/x", ["a"], ask);
    expect(plan).toEqual({ transfers: [], impossible: [] });
  });
});
