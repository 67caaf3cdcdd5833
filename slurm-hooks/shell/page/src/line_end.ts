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

const kWords = {
  session: "This session is over. Open the terminal from the portal again.",
  job: "The job has ended.",
};

export function lossWords(end: LineEnd, secondsToRetry: number): string {
  if (end !== "lost") return kWords[end];
  return `The connection is lost. Trying again in ${secondsToRetry} s.`;
}
