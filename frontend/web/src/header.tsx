// Who is here, on which cluster, and the way out.
import { useState } from "preact/hooks";
import { Role } from "#proto/auth";
import { authClient } from "./api/clients";
import { failureOf } from "./api/failure";
import { useSession } from "./session/session_context";
import { Icon } from "./ui/icon";
import { Logo } from "./ui/logo";
import { ThemeSwitch } from "./ui/theme_switch";
import { useReport } from "./ui/toasts";

export function Header({ clusterName }: { clusterName: string }) {
  const { session, end, endIfOver } = useSession();
  const report = useReport();
  const [busy, setBusy] = useState(false);
  const name = session.displayName || session.username;

  const logOut = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await authClient.logout({});
      end("");
    } catch (error) {
      const failure = failureOf(error);
      if (endIfOver(failure)) return;
      report("You are still logged in", failure);
      setBusy(false);
    }
  };

  return (
    <header class="topbar">
      <a class="brand" href="/" aria-label="Carme, start page">
        <Logo /> <span>Carme</span>
      </a>
      {clusterName && <span class="cluster-name">{clusterName}</span>}
      <div class="topbar-side">
        <div class="who">
          <span class="who-initial" aria-hidden="true">
            {name.slice(0, 1)}
          </span>
          <span class="who-name" title={session.username}>
            {name}
          </span>
          <span class="tag">{session.role === Role.ADMIN ? "admin" : "user"}</span>
        </div>
        <ThemeSwitch />
        <button
          class="button button-small"
          type="button"
          data-test="logout"
          aria-label="Log out"
          onClick={logOut}
        >
          <Icon name="leave" /> <span class="button-text">Log out</span>
        </button>
      </div>
    </header>
  );
}
