import { describe, expect, it } from "vitest";
import { lossText, reasonOfLoss } from "../src/line_end";

const answers = (status: number) => () => Promise.resolve({ status });

describe("a line that was lost", () => {
  it("may come back when nothing answers, or the program is away", async () => {
    expect(await reasonOfLoss(() => Promise.reject(new Error()))).toBe("lost");
    expect(await reasonOfLoss(answers(503))).toBe("lost");
    expect(await reasonOfLoss(answers(200))).toBe("lost");
    expect(lossText("lost", 3)).toMatch(/again in 3 s/);
  });

  it("reports that access has expired", async () => {
    expect(await reasonOfLoss(answers(401))).toBe("session");
    expect(lossText("session", 3)).toMatch(/has expired/);
  });

  it("reports that the job has ended", async () => {
    expect(await reasonOfLoss(answers(404))).toBe("job");
    expect(lossText("job", 3)).toMatch(/job has ended/);
  });
});
