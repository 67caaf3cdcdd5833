import { type AdminAction, AdminAction_Kind, type Job } from "#proto/jobs";

const kVerbs: Record<AdminAction_Kind, string> = {
  [AdminAction_Kind.UNSPECIFIED]: "changed this job",
  [AdminAction_Kind.STOP]: "stopped this job",
  [AdminAction_Kind.HOLD]: "is holding this job",
  [AdminAction_Kind.RELEASE]: "released this job",
  [AdminAction_Kind.EXTEND]: "extended this job",
  [AdminAction_Kind.READ_LOG]: "read the log of this job",
};

// Whether an administrator holds the job. Its owner cannot release it then.
export function isHeldByAdmin({ held, adminActions }: Job): boolean {
  const last = adminActions
    .filter(
      ({ kind }) =>
        kind === AdminAction_Kind.HOLD || kind === AdminAction_Kind.RELEASE,
    )
    .pop();
  return held && last?.kind === AdminAction_Kind.HOLD;
}

// "Administrator carol stopped this job: node maintenance"
export function adminNote(action: AdminAction): string {
  const verb = kVerbs[action.kind] ?? kVerbs[AdminAction_Kind.UNSPECIFIED];
  return `Administrator ${action.administrator} ${verb}: ${action.reason}`;
}
