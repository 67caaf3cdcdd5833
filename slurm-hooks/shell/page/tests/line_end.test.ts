import { describe, expect, it } from "vitest";
import { lossWords, reasonOfLoss } from "../src/line_end";

const answers = (status: number) => () => Promise.resolve({ status });

describe("a line that was lost", () => {
  it("may come back when nothing answers, or the program is away", async () => {
    expect(await reasonOfLoss(() => Promise.reject(new Error()))).toBe("lost");
    expect(await reasonOfLoss(answers(503))).toBe("lost");
    expect(await reasonOfLoss(answers(200))).toBe("lost");
    expect(lossWords("lost", 3)).toMatch(/again in 3 s/);
  });

  it("reports that the session is over", async () => {
    expect(await reasonOfLoss(answers(401))).toBe("session");
    expect(lossWords("session", 3)).toMatch(/session is over/);
  });

  it("reports that the job has ended", async () => {
    expect(await reasonOfLoss(answers(404))).toBe("job");
    expect(lossWords("job", 3)).toMatch(/job has ended/);
  });
});
