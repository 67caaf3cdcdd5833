import { Factor } from "#proto/auth";
import type { EnrolledFactor } from "#proto/factors";
import { factorClient } from "../../api/account";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { messages } from "#messages/account";

export function RemoveFactorDialog(props: {
  factor: EnrolledFactor;
  done(what: string): void;
  close(): void;
}) {
  const { factor, done, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const remove = () =>
    mutation.run(async () => {
      const { id } = factor;
      await withReauthentication(() => factorClient.removeFactor({ id }));
      done(messages.factorRemoved({ name: factor.name }));
    });
  return (
    <ConfirmDialog
      title={messages.removeFactor({ name: factor.name })}
      mutation={mutation}
      confirm={messages.remove}
      onConfirm={() => void remove()}
      close={close}
    >
      <p>
        {messages.youCanNoLongerLog}
        {factor.kind === Factor.PASSKEY &&
          ` ${messages.deleteTheEntryOnTheKey}`}
      </p>
    </ConfirmDialog>
  );
}
