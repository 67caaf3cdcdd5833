import { type AdminAction, AdminAction_Kind, type Job } from "#proto/jobs";
import { messages } from "#messages/jobs";

const kNotes: Record<
  AdminAction_Kind,
  (of: { administrator: string; reason: string }) => string
> = {
  [AdminAction_Kind.UNSPECIFIED]: messages.administratorChanged,
  [AdminAction_Kind.STOP]: messages.administratorStopped,
  [AdminAction_Kind.HOLD]: messages.administratorHolds,
  [AdminAction_Kind.RELEASE]: messages.administratorReleased,
  [AdminAction_Kind.EXTEND]: messages.administratorExtended,
  [AdminAction_Kind.READ_LOG]: messages.administratorReadTheLog,
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
  const note = kNotes[action.kind] ?? kNotes[AdminAction_Kind.UNSPECIFIED];
  return note(action);
}
