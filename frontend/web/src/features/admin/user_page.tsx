// One user's account, with actions for users who lost a factor.
import type { GetUserResponse } from "#proto/admin";
import { adminClient } from "../../api/admin";
import { FactorRow } from "../account/factor_row";
import { SessionRow } from "../account/session_row";
import { TokenRow } from "../account/token_row";
import { PageTitle } from "../../routes/page_title";
import { hrefOf } from "../../routes/route";
import { useQuery } from "../../session/use_query";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { UserActions } from "./user_actions";
import { UserDetails } from "./user_details";
import { messages } from "#messages/admin";

export function UserPage({ username }: { username: string }) {
  const loaded = useQuery(() => adminClient.getUser({ username }));
  const confirm = useConfirmation();
  const done = (what: string) => {
    confirm(what);
    void loaded.reload();
  };
  return (
    <>
      <a class="link-button" href={hrefOf("users")}>
        <Icon name="back" /> {messages.allUsers}
      </a>
      <PageTitle text={username} />
      <QueryView loaded={loaded}>
        {(account) => (
          <>
            {account.user && <UserDetails user={account.user} />}
            <UserActions username={username} onDone={done} />
            <UserLists account={account} />
          </>
        )}
      </QueryView>
    </>
  );
}

function UserLists({ account }: { account: GetUserResponse }) {
  const { factors, sessions, tokens, recoveryCodesLeft } = account;
  return (
    <>
      <Panel
        title={messages.secondFactors}
        about={messages.recoveryCodesLeft({ count: recoveryCodesLeft })}
        testId="user-factors"
      >
        {factors.length === 0 && (
          <p class="muted">{messages.noSecondFactorTheNext}</p>
        )}
        <ul class="rows">
          {factors.map((factor) => (
            <FactorRow key={factor.id} factor={factor} />
          ))}
        </ul>
      </Panel>
      <Panel title={messages.sessions} testId="user-sessions">
        {sessions.length === 0 && <p class="muted">{messages.none}</p>}
        <ul class="rows">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      </Panel>
      <Panel title={messages.accessTokens} testId="user-tokens">
        {tokens.length === 0 && <p class="muted">{messages.none}</p>}
        <ul class="rows">
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </ul>
      </Panel>
    </>
  );
}
