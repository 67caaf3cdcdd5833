// Starts an app, opens a running one or goes to a page, by the keyboard.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { GetClusterResponse } from "#proto/cluster";
import type { Job } from "#proto/jobs";
import { clientsOf, clusterClient } from "../api/core";
import { failureOf } from "../api/failure";
import { openInNewTab } from "../features/jobs/open_in_new_tab";
import { useSession } from "../session/session_context";
import { mayAdminister } from "../session/roles";
import { useQuery } from "../session/use_query";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icon";
import { useReport } from "../ui/toasts";
import { type Command, commands, matching } from "./commands";
import type { NavigationLink } from "./navigation";
import "../styles/commands.css";
import { messages } from "#messages/app";

export function CommandPalette(props: {
  links: readonly NavigationLink[];
  jobs: readonly Job[];
  close(): void;
}) {
  const { links, jobs, close } = props;
  const { session, endIfOver } = useSession();
  const report = useReport();
  const { value: cluster } = useQuery<GetClusterResponse>(() =>
    clusterClient.getCluster({}),
  );
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const all = commands({ links, jobs, cluster });
  const found = matching(all, text, mayAdminister(session));
  const chosen = Math.min(at, found.length - 1);
  const optionId = (index: number) => `${id}-${index}`;

  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const run = async ({ href, job }: Command) => {
    close();
    if (href !== undefined) location.hash = href;
    if (!job) return;
    const title = messages.cannotOpenJob({ job: job.spec?.name ?? job.id });
    try {
      await openInNewTab(messages.opening, async () => {
        const { jobs: client } = clientsOf(job.cluster);
        return (await client.openApp({ jobId: job.id })).url;
      });
      report(title, undefined);
    } catch (error) {
      const failure = failureOf(error);
      if (!endIfOver(failure)) report(title, failure);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    setAt((chosen + step + found.length) % found.length);
  };

  return (
    <Dialog title={messages.commands} close={close}>
      <form
        class="palette"
        data-testid="palette"
        onSubmit={(event) => {
          event.preventDefault();
          const command = found[chosen];
          if (command) void run(command);
        }}
      >
        <input
          role="combobox"
          aria-label={messages.searchCommands}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={
            found.length > 0 ? optionId(chosen) : undefined
          }
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          data-testid="palette-input"
          placeholder={messages.searchCommands}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <ul
          ref={list}
          id={`${id}-list`}
          role="listbox"
          aria-label={messages.commands}
        >
          {found.map((command, index) => (
            <li
              key={command.id}
              id={optionId(index)}
              role="option"
              aria-selected={index === chosen}
              data-testid={`command-${command.id}`}
              onClick={() => void run(command)}
              onPointerMove={() => setAt(index)}
            >
              <Icon name={command.icon} /> <span>{command.label}</span>
              <span class="muted small">{command.group}</span>
            </li>
          ))}
        </ul>
        {found.length === 0 && (
          <p class="muted" role="status">
            {messages.noCommandMatches}
          </p>
        )}
      </form>
    </Dialog>
  );
}
