// The nodes of the cluster. Administrators drain them with a reason, and resume
// those that they have drained.
import { useState } from "preact/hooks";
import { clusterUtilizationClient } from "../../../api/history";
import { PageTitle } from "../../../routes/page_title";
import { nodeHref } from "../../../routes/route";
import { mayChange } from "../../../session/roles";
import { useSession } from "../../../session/session_context";
import { useQuery } from "../../../session/use_query";
import { useReload } from "../../../session/use_reload";
import { Icon } from "../../../ui/icon";
import { QueryView } from "../../../ui/loaded_view";
import { useConfirmation } from "../../../ui/toasts";
import { nodesWith, summaryOf } from "../../insights/cluster/node_labels";
import { NodeTable } from "../../insights/cluster/node_table";
import { type NodeAction, NodeActionDialog } from "./node_action_dialog";
import { kMaxNodes, selectionOf } from "./node_selection";
import { messages } from "#messages/admin";

const kFirst = 100;

export function NodesPage() {
  const { session } = useSession();
  const confirm = useConfirmation();
  const [text, setText] = useState("");
  const [max, setMax] = useState(kFirst);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [action, setAction] = useState<NodeAction>();
  const loaded = useQuery(() =>
    clusterUtilizationClient.getClusterUtilization({}),
  );
  const { reload } = loaded;
  useReload(loaded);
  const isAdmin = mayChange(session);
  const toggle = (name: string) => {
    const next = new Set(selected);
    if (!next.delete(name)) next.add(name);
    setSelected(next);
  };
  const done = (text: string) => {
    setAction(undefined);
    setSelected(new Set());
    confirm(text);
    void reload();
  };

  return (
    <>
      <PageTitle text={messages.nodes} />
      <QueryView loaded={loaded}>
        {({ nodes }) => {
          const found = nodesWith(nodes, text);
          const { toDrain, toResume } = selectionOf(nodes, selected);
          return (
            <>
              <p class="muted">{summaryOf(nodes)}</p>
              <div class="button-row">
                <div class="search">
                  <Icon name="search" />
                  <input
                    type="search"
                    aria-label={messages.searchNodes}
                    data-testid="nodes-search"
                    placeholder={messages.searchNodes}
                    value={text}
                    onInput={(event) => setText(event.currentTarget.value)}
                  />
                </div>
                {isAdmin && (
                  <>
                    <ActionButton
                      label={messages.drainNodes({ count: toDrain.length })}
                      testId="drain-nodes"
                      names={toDrain}
                      onClick={() =>
                        setAction({ what: "drain", names: toDrain })
                      }
                    />
                    <ActionButton
                      label={messages.resumeNodes({ count: toResume.length })}
                      testId="resume-nodes"
                      names={toResume}
                      onClick={() =>
                        setAction({ what: "resume", names: toResume })
                      }
                    />
                  </>
                )}
              </div>
              <NodeTable
                nodes={found.slice(0, max)}
                {...(isAdmin && { selection: { selected, toggle } })}
                name={({ name }) =>
                  isAdmin ? (
                    <a href={nodeHref(name)} data-testid={`history-${name}`}>
                      <strong>{name}</strong>
                    </a>
                  ) : (
                    <strong>{name}</strong>
                  )
                }
              />
              {found.length > max && (
                <button
                  class="button"
                  type="button"
                  onClick={() => setMax(max + 4 * kFirst)}
                >
                  {messages.moreNodes({ count: found.length - max })}
                </button>
              )}
            </>
          );
        }}
      </QueryView>
      {action && (
        <NodeActionDialog
          action={action}
          onDone={done}
          close={() => setAction(undefined)}
        />
      )}
    </>
  );
}

function ActionButton(props: {
  label: string;
  testId: string;
  names: readonly string[];
  onClick(): void;
}) {
  const { label, testId, names, onClick } = props;
  return (
    <button
      class="button"
      type="button"
      data-testid={testId}
      disabled={names.length === 0 || names.length > kMaxNodes}
      title={
        names.length > kMaxNodes
          ? messages.atMostNodes({ max: kMaxNodes })
          : undefined
      }
      onClick={onClick}
    >
      {label}
    </button>
  );
}
