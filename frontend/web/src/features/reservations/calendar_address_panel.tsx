// Subscribing to the user's reservations in a calendar program: the private
// address is created, renewed and revoked here, and shown once.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useState } from "preact/hooks";
import type { AccessToken } from "#proto/account";
import { accountClient } from "../../api/account";
import { selectedCluster } from "../../api/clusters";
import { formatDay } from "../../lib/format/moment";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { useQuery } from "../../session/use_query";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { CopyButton } from "../../ui/copy_button";
import { Dialog } from "../../ui/dialog";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { Moment } from "../../ui/moment";
import { Panel } from "../../ui/panel";
import { useConfirmation } from "../../ui/toasts";
import { LastUsed } from "../account/last_used";
import { expiryMs } from "../account/token_lifetime";
import {
  calendarAddress,
  calendarTokens,
  kCalendarScope,
} from "./calendar_address";
import { messages } from "#messages/reservations";

const kTokenName = "Calendar of reservations"; // in the list of access tokens

export function CalendarAddressPanel() {
  const loaded = useQuery(() => accountClient.listTokens({}));
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [address, setAddress] = useState("");
  const [asking, setAsking] = useState<"renew" | "revoke">();
  const confirm = useConfirmation();
  const tokens = calendarTokens(loaded.value?.tokens ?? []);

  const revokeAll = async () => {
    for (const { id } of tokens) await accountClient.revokeToken({ id });
  };
  // An old address stays valid until there is a new one.
  const create = () =>
    mutation.run(async () => {
      const { secret } = await withReauthentication(() =>
        accountClient.createToken({
          name: kTokenName,
          scopes: [kCalendarScope],
          expiresAt: timestampFromMs(
            expiryMs(loaded.value?.maxDays ?? 1, Date.now()),
          ),
        }),
      );
      await revokeAll();
      setAsking(undefined);
      setAddress(calendarAddress(location.origin, secret, selectedCluster()));
      await loaded.reload();
    });
  const revoke = () =>
    mutation.run(async () => {
      await revokeAll();
      setAsking(undefined);
      confirm(messages.addressRevoked);
      await loaded.reload();
    });
  const stopAsking = () => {
    setAsking(undefined);
    mutation.clearFailure();
  };

  return (
    <Panel
      title={messages.subscribe}
      about={messages.subscribeAbout}
      testId="calendar-address"
      actions={
        loaded.value &&
        tokens.length === 0 && (
          <button
            class="button button-small"
            type="button"
            data-testid="address-create"
            aria-disabled={mutation.busy}
            onClick={() => void create()}
          >
            <Icon name="calendar" /> {messages.createAddress}
          </button>
        )
      }
    >
      <QueryView loaded={loaded}>
        {() =>
          tokens.length > 0 && (
            <ul class="rows">
              {tokens.map((token) => (
                <AddressRow key={token.id} token={token} onAsk={setAsking} />
              ))}
            </ul>
          )
        }
      </QueryView>
      {mutation.failure && !asking && (
        <FailureNote failure={mutation.failure} testId="address-failure" />
      )}
      {asking && (
        <ConfirmDialog
          title={
            asking === "renew"
              ? messages.renewAddressTitle
              : messages.revokeAddressTitle
          }
          mutation={mutation}
          confirm={
            asking === "renew" ? messages.renewAddress : messages.revokeAddress
          }
          onConfirm={() => void (asking === "renew" ? create() : revoke())}
          close={stopAsking}
        >
          <p>{messages.subscriptionsEnd}</p>
        </ConfirmDialog>
      )}
      {address && (
        <AddressDialog address={address} close={() => setAddress("")} />
      )}
    </Panel>
  );
}

function AddressRow(props: {
  token: AccessToken;
  onAsk(what: "renew" | "revoke"): void;
}) {
  const { token, onAsk } = props;
  return (
    <li class="row" data-testid="address-row">
      <Icon name="calendar" />
      <div class="row-what">
        <p class="row-title">{messages.privateAddress}</p>
        <p class="muted small facts-line">
          <span>
            {messages.createdOn}{" "}
            <Moment at={token.createdAt} format={formatDay} />
          </span>
          <span>
            {messages.validUntil}{" "}
            <Moment at={token.expiresAt} format={formatDay} />
          </span>
          <LastUsed at={token.usedAt} from={token.usedFrom} />
        </p>
      </div>
      <div class="button-row">
        <button
          class="button button-small"
          type="button"
          data-testid="address-renew"
          onClick={() => onAsk("renew")}
        >
          {messages.renewLabel}
        </button>
        <button
          class="button button-small"
          type="button"
          data-testid="address-revoke"
          onClick={() => onAsk("revoke")}
        >
          {messages.revokeLabel}
        </button>
      </div>
    </li>
  );
}

function AddressDialog(props: { address: string; close(): void }) {
  return (
    <Dialog title={messages.addressOfYourCalendar}>
      <p>
        {messages.copyTheAddress} <strong>{messages.shownOnce}</strong>
      </p>
      <div class="copy-line">
        <code data-testid="address-text">{props.address}</code>
        <CopyButton text={props.address} label={messages.copyAddress} />
      </div>
      <p class="muted small">{messages.addressNeedsNoLogIn}</p>
      <div class="dialog-actions">
        <button
          class="button button-primary"
          type="button"
          data-testid="address-done"
          onClick={props.close}
        >
          {messages.done}
        </button>
      </div>
    </Dialog>
  );
}
