// Why a connection was lost, as reported by the proxy in front of the program.

export type LineEnd =
  | "lost" // may come back by itself
  | "session" // the access grant has expired; opening the app again renews it
  | "job"; // the job has ended

// Asks below this page; never fails.
export async function reasonOfLoss(
  ask: (path: string) => Promise<{ status: number }>,
): Promise<LineEnd> {
  try {
    const { status } = await ask("ready");
    // The program itself answers 200; pages of other origins cannot query it.
    return status === 401 ? "session" : status === 404 ? "job" : "lost";
  } catch {
    return "lost";
  }
}

const kTexts = {
  session:
    "Your access to this terminal has expired. Open it again from the portal.",
  job: "The job has ended.",
};

export function lossText(end: LineEnd, secondsToRetry: number): string {
  if (end !== "lost") return kTexts[end];
  return `The connection is lost. Trying again in ${secondsToRetry} s.`;
}
