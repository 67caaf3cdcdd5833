// What the user must be told, until they say that they have read it.
import type { Notice } from "#proto/auth";
import { factorClient } from "../api/account_clients";
import { formatMoment, msOf } from "../format/moment";
import { FailureNote } from "../ui/failure_note";
import { Icon } from "../ui/icon";
import { useSession } from "./session_context";
import { useAct } from "./use_act";

export function Notices() {
  const { session, renew } = useSession();
  const { busy, failure, run } = useAct();

  const dismiss = ({ id }: Notice) =>
    run(async () => {
      await factorClient.dismissNotice({ id });
      const notices = session.notices.filter((notice) => notice.id !== id);
      renew({ ...session, notices });
    });
  return (
    <section class="notices" aria-label="Notices">
      {failure && <FailureNote failure={failure} />}
      {session.notices.map((notice) => (
        <div
          key={notice.id}
          class="banner"
          role="status"
          data-test={`notice-${notice.id}`}
        >
          <Icon name="bell" />
          <div class="notice-text">
            <p class="sentence">{notice.text}</p>
            <p class="muted small">{when(notice)}</p>
          </div>
          <button
            class="button button-small"
            type="button"
            data-test="notice-dismiss"
            aria-disabled={busy}
            onClick={() => void dismiss(notice)}
          >
            I have read it
          </button>
        </div>
      ))}
    </section>
  );
}

function when({ at }: Notice): string {
  const ms = msOf(at);
  return ms === undefined ? "" : formatMoment(ms, Date.now());
}
