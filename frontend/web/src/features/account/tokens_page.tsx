// What scripts show instead of a session.
import { useState } from "preact/hooks";
import type { AccessToken, CreateTokenResponse } from "#proto/account";
import { accountClient } from "../../api/account";
import { PageTitle } from "../../routes/page_title";
import { useAct } from "../../session/use_mutation";
import { useLoaded } from "../../session/use_query";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { Icon } from "../../ui/icon";
import { LoadedView } from "../../ui/loaded_view";
import { News } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { TokenForm } from "./token_form";
import { TokenRow } from "./token_row";
import { TokenSecretDialog } from "./token_secret_dialog";

export function TokensPage() {
  const loaded = useLoaded(() => accountClient.listTokens({}));
  const act = useAct();
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreateTokenResponse>();
  const [revoking, setRevoking] = useState<AccessToken>();
  const [news, setNews] = useState("");

  const onCreated = (answer: CreateTokenResponse) => {
    setCreating(false);
    setCreated(answer);
    void loaded.reload();
  };
  const revoke = ({ id, name }: AccessToken) =>
    act.run(async () => {
      await accountClient.revokeToken({ id });
      setRevoking(undefined);
      setNews(`The token “${name}” was revoked.`);
      await loaded.reload();
    });

  return (
    <>
      <PageTitle text="Access tokens" />
      <Panel
        title="Your tokens"
        about="A script shows one instead of a password. It may do what its scopes say, and never more than you."
        testName="tokens"
        actions={
          loaded.value &&
          !creating && (
            <button
              class="button button-small"
              type="button"
              data-test="token-new"
              onClick={() => setCreating(true)}
            >
              <Icon name="plus" /> New token
            </button>
          )
        }
      >
        <News text={news} />
        <LoadedView loaded={loaded}>
          {({ tokens, scopes, maxDays }) => (
            <>
              {creating && (
                <TokenForm
                  scopes={scopes}
                  maxDays={maxDays}
                  onCreated={onCreated}
                  close={() => setCreating(false)}
                />
              )}
              {tokens.length === 0 && !creating && (
                <p class="muted" data-test="no-tokens">
                  You have none.
                </p>
              )}
              <ul class="rows">
                {tokens.map((token) => (
                  <TokenRow
                    key={token.id}
                    token={token}
                    onRevoke={() => setRevoking(token)}
                  />
                ))}
              </ul>
            </>
          )}
        </LoadedView>
      </Panel>
      {created && (
        <TokenSecretDialog
          created={created}
          close={() => setCreated(undefined)}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title={`Revoke “${revoking.name}”?`}
          act={act}
          confirm="Revoke it"
          onConfirm={() => void revoke(revoking)}
          close={() => setRevoking(undefined)}
        >
          <p>Scripts that show it are refused from the next call on.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
