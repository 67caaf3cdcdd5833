// The outcomes of an array's tasks, from the ends of their logs.
import { Code } from "@connectrpc/connect";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clientsOf } from "../../api/core";
import { failureOf } from "../../api/failure";
import { outcomeOf, stateOfAll, type TaskOutcome } from "./task_states";

// Each log is a request; larger arrays have the counts only.
export const kMaxReadTasks = 100;
const kReaders = 3;
const kTailBytes = 4096;

export type TaskOutcomes = ReadonlyMap<number, TaskOutcome>;

const kFinal: ReadonlySet<string> = new Set(["failed", "finished"]);

// Read again after each change of the counts, but never a task that has ended.
export function useTaskOutcomes(
  job: Job,
  tasks: readonly number[],
  mayRead: boolean,
): TaskOutcomes {
  const [outcomes, setOutcomes] = useState<TaskOutcomes>(new Map());
  const known = useRef(new Map<number, TaskOutcome>());
  const { id, cluster, array } = job;
  const counts = JSON.stringify(array);
  const list = tasks.join();
  useEffect(() => {
    if (!array) return;
    const all = list.split(",").filter(Boolean).map(Number);
    const whole = stateOfAll(array);
    const reads = mayRead && all.length <= kMaxReadTasks;
    if (!reads || whole === "waiting") {
      const state = whole ?? "unknown";
      setOutcomes(new Map(all.map((task) => [task, { state, detail: "" }])));
      return;
    }
    let stopped = false;
    const open = all.filter(
      (task) => !kFinal.has(known.current.get(task)?.state ?? ""),
    );
    const work = async () => {
      for (let task = open.shift(); task !== undefined; task = open.shift()) {
        const tail = await readTail(cluster, id, task);
        if (stopped || tail === null) return;
        known.current.set(task, outcomeOf(tail, array));
        setOutcomes(new Map(known.current));
      }
    };
    for (let reader = 0; reader < kReaders; reader++) void work();
    return () => {
      stopped = true;
    };
    // `array` changes with each message of the stream; its counts decide.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [id, cluster, counts, list, mayRead]);
  return outcomes;
}

// undefined: it has no output; null: it cannot be read now.
async function readTail(cluster: string, jobId: string, task: number) {
  try {
    const { text } = await clientsOf(cluster).jobs.getLog({
      jobId,
      task,
      offsetBytes: BigInt(-kTailBytes),
    });
    return text;
  } catch (error) {
    return failureOf(error).code === Code.NotFound ? undefined : null;
  }
}
