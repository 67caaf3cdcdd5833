// The header: cluster, navigation, account and log-out.
import { useState } from "preact/hooks";
import { authClient } from "../api/core";
import { environmentClient } from "../api/environment";
import { failureOf } from "../api/failure";
import { Bell } from "../features/notifications/bell";
import { type Area, hrefOf } from "../routes/route";
import { mayAdminister, roleLabel } from "../session/roles";
import { useClusterChoice } from "../session/cluster_context";
import { ClusterSelect } from "../session/cluster_select";
import { useQuery } from "../session/use_query";
import { useSession } from "../session/session_context";
import { Icon } from "../ui/icon";
import { Logo } from "../ui/logo";
import { ThemeSwitch } from "../ui/theme_switch";
import { useReport } from "../ui/toasts";
import { messages } from "./messages";

export function Header(props: {
  clusterName: string;
  area: Area;
  waiting: number; // membership and project requests that the user can decide
  reserves: boolean; // whether to show the link to reservations
  unread: number; // notifications
  atBell: boolean; // whether the notifications page is open
}) {
  const { clusterName, area, waiting, reserves, unread, atBell } = props;
  const { session, end, endIfOver } = useSession();
  const { names: clusters } = useClusterChoice();
  const report = useReport();
  const [busy, setBusy] = useState(false);
  const { value: environments } = useQuery(() =>
    environmentClient.listEnvironments({}),
  );
  const name = session.displayName || session.username;
  const role = roleLabel(session.role);

  const logOut = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await authClient.logout({});
      end("");
    } catch (error) {
      const failure = failureOf(error);
      if (endIfOver(failure)) return;
      report(messages.loggingOutFailed, failure);
      setBusy(false);
    }
  };

  return (
    <header class="topbar">
      <a
        class="brand"
        href={hrefOf("dashboard")}
        aria-label={messages.carmeDashboard}
      >
        <Logo /> <span>{messages.carme}</span>
      </a>
      {clusters.length > 0 ? (
        <ClusterSelect id="cluster" label={messages.cluster} />
      ) : (
        clusterName && <span class="cluster-name">{clusterName}</span>
      )}
      <div class="topbar-side">
        {environments?.offered && (
          <a
            class="topbar-link"
            href={hrefOf("environments")}
            data-testid="to-environments"
            aria-label={messages.environments}
            aria-current={area === "environments" ? "true" : undefined}
          >
            <Icon name="layers" />{" "}
            <span class="button-text">{messages.environments}</span>
          </a>
        )}
        <a
          class="topbar-link"
          href={hrefOf("projects")}
          data-testid="to-projects"
          aria-label={
            waiting > 0 ? messages.projectsToReview(waiting) : messages.projects
          }
          aria-current={area === "projects" ? "true" : undefined}
        >
          <Icon name="people" />{" "}
          <span class="button-text">{messages.projects}</span>
          {waiting > 0 && (
            <span class="tag tag-wait" data-testid="projects-waiting">
              {waiting}
            </span>
          )}
        </a>
        {reserves && (
          <a
            class="topbar-link"
            href={hrefOf("reservations")}
            data-testid="to-reservations"
            aria-label={messages.reservations}
            aria-current={area === "reservations" ? "true" : undefined}
          >
            <Icon name="clock" />{" "}
            <span class="button-text">{messages.reservations}</span>
          </a>
        )}
        <a
          class="topbar-link"
          href={hrefOf("history")}
          data-testid="to-history"
          aria-label={messages.history}
          aria-current={area === "history" ? "true" : undefined}
        >
          <Icon name="chart" />{" "}
          <span class="button-text">{messages.history}</span>
        </a>
        {mayAdminister(session) && (
          <a
            class="topbar-link"
            href={hrefOf("users")}
            data-testid="to-admin"
            aria-label={messages.administration}
            aria-current={area === "admin" ? "true" : undefined}
          >
            <Icon name="shield" />{" "}
            <span class="button-text">{messages.administration}</span>
          </a>
        )}
        <Bell unread={unread} current={atBell} />
        <a
          class="topbar-link who"
          href={hrefOf("security")}
          data-testid="to-account"
          aria-label={messages.yourAccount(name, role)}
          aria-current={area === "account" && !atBell ? "true" : undefined}
        >
          <span class="who-initial" aria-hidden="true">
            {name.slice(0, 1)}
          </span>
          <span class="who-name" title={session.username}>
            {name}
          </span>
          <span class="tag">{role}</span>
        </a>
        <ThemeSwitch />
        <button
          class="button button-small"
          type="button"
          data-testid="logout"
          aria-label={messages.logOut}
          onClick={logOut}
        >
          <Icon name="leave" />{" "}
          <span class="button-text">{messages.logOut}</span>
        </button>
      </div>
    </header>
  );
}
