// The header: cluster, navigation, and the menus of the user.
import type { ComponentChildren } from "preact";
import { branding } from "../lib/branding";
import { hrefOf } from "../routes/route";
import { useClusterChoice } from "../session/cluster_context";
import { ClusterSelect } from "../session/cluster_select";
import { Icon } from "../ui/icon";
import { Logo } from "../ui/logo";
import { UserMenu } from "./user_menu";
import { messages } from "#messages/app";

export function Header(props: {
  clusterName: string;
  navigation: ComponentChildren;
  bell: ComponentChildren;
  help: ComponentChildren;
  hasForm: boolean; // whether the page has the start form
  showCommands(): void;
}) {
  const { clusterName, hasForm } = props;
  const { names: clusters } = useClusterChoice();
  const shown = clusterName.toLowerCase() !== branding.name.toLowerCase();
  return (
    <header class="topbar">
      <a
        class="skip-link"
        href="#page"
        onClick={(event) => skip(event, "page")}
      >
        {messages.skipToContent}
      </a>
      {hasForm && (
        <a
          class="skip-link"
          href="#start"
          onClick={(event) => skip(event, "start")}
        >
          {messages.skipToForm}
        </a>
      )}
      <div class="topbar-content">
        <a
          class="brand"
          href={hrefOf("dashboard")}
          aria-label={messages.carmeJobs({ portal: branding.name })}
        >
          <Logo /> <span>{branding.name}</span>
        </a>
        {clusters.length > 0 ? (
          <ClusterSelect id="cluster" label={messages.cluster} />
        ) : (
          clusterName &&
          shown && <span class="cluster-name">{clusterName}</span>
        )}
        {props.navigation}
        <div class="topbar-side">
          <button
            class="search-button"
            type="button"
            title={messages.searchOrCommand}
            data-testid="commands"
            onClick={props.showCommands}
          >
            <Icon name="search" />
            <span class="sr-only">{messages.searchOrCommand}</span>{" "}
            <kbd>Ctrl K</kbd>
          </button>
          {props.bell}
          {props.help}
          <UserMenu />
        </div>
      </div>
    </header>
  );
}

// Without a change of the address, which selects the page.
function skip(event: Event, id: string): void {
  event.preventDefault();
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: "start" });
  target?.focus({ preventScroll: true });
}
