// Access tokens, which scripts use instead of a session.
import { useState } from "preact/hooks";
import type { AccessToken, CreateTokenResponse } from "#proto/account";
import { accountClient } from "../../api/account";
import { PageTitle } from "../../routes/page_title";
import { useMutation } from "../../session/use_mutation";
import { useQuery } from "../../session/use_query";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { TokenForm } from "./token_form";
import { TokenRow } from "./token_row";
import { TokenSecretDialog } from "./token_secret_dialog";
import { messages } from "#messages/account";

export function TokensPage() {
  const loaded = useQuery(() => accountClient.listTokens({}));
  const mutation = useMutation();
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreateTokenResponse>();
  const [revoking, setRevoking] = useState<AccessToken>();
  const confirm = useConfirmation();

  const onCreated = (answer: CreateTokenResponse) => {
    setCreating(false);
    setCreated(answer);
    void loaded.reload();
  };
  const revoke = ({ id, name }: AccessToken) =>
    mutation.run(async () => {
      await accountClient.revokeToken({ id });
      setRevoking(undefined);
      confirm(messages.tokenRevoked({ name }));
      await loaded.reload();
    });

  return (
    <>
      <PageTitle text={messages.accessTokens} />
      <Panel
        title={messages.yourTokens}
        about={messages.scriptsUseAccessTokensInstead}
        testId="tokens"
        actions={
          loaded.value &&
          !creating && (
            <button
              class="button button-small"
              type="button"
              data-testid="token-new"
              onClick={() => setCreating(true)}
            >
              <Icon name="plus" /> {messages.newToken}
            </button>
          )
        }
      >
        <QueryView loaded={loaded}>
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
                <p class="muted" data-testid="no-tokens">
                  {messages.youHaveNoAccessTokens}
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
        </QueryView>
      </Panel>
      {created && (
        <TokenSecretDialog
          created={created}
          close={() => setCreated(undefined)}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title={messages.revokeToken({ name: revoking.name })}
          mutation={mutation}
          confirm={messages.revoke}
          onConfirm={() => void revoke(revoking)}
          close={() => setRevoking(undefined)}
        >
          <p>{messages.scriptsThatUseThisToken}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
