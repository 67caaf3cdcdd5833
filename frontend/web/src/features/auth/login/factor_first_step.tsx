// After too many wrong passwords for a user name, the second factor is checked
// before the password. The text is the same for every name, also for unknown
// ones.
import { useEvent } from "../../../lib/use_event";
import { useEffect, useState } from "preact/hooks";
import { Factor, type FactorFirst, type LoginResponse } from "#proto/auth";
import { authClient } from "../../../api/core";
import { type Failure, failureOf } from "../../../api/failure";
import { kStepMs } from "../factors/code";
import type { FactorProof } from "../factors/factor_proof";
import { ProveFactor } from "../factors/prove_factor";
import { Icon } from "../../../ui/icon";
import {
  earlyProof,
  nextStepAfterEarlyFactor,
  factorFirstReason,
} from "./login_step";
import { messages } from "#messages/auth";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export function FactorFirstStep(props: {
  question: FactorFirst;
  credentials: Credentials;
  onAnswer(answer: LoginResponse): void;
  onStartOver(reason: string): void;
}) {
  const { question, credentials, onAnswer, onStartOver } = props;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const expire = useEvent(() => onStartOver(messages.theLoginTimedOut));
  useEffect(() => {
    const timer = setTimeout(expire, kStepMs);
    return () => clearTimeout(timer);
  }, [question, expire]);

  const prove = async (proof: FactorProof) => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const early = earlyProof(question, proof);
      onAnswer(await authClient.login({ ...credentials, ...early }));
    } catch (error) {
      const refused = failureOf(error);
      setBusy(false);
      setFailure(refused);
      if (nextStepAfterEarlyFactor(refused, proof) === "start-over") {
        onStartOver(refused.sentence);
      }
    }
  };
  return (
    <>
      <h1>{messages.confirmYourSecondFactorFirst}</h1>
      <div class="note note-calm" role="status" data-testid="factor-first">
        <Icon name="shield" />
        <p>{factorFirstReason(question)}</p>
      </div>
      <ProveFactor
        factors={question.factors}
        passkeyRequest={question.passkeyRequest}
        initial={Factor.TOTP}
        busy={busy}
        failure={failure}
        onProof={(proof) => void prove(proof)}
      />
      <p class="muted small">{messages.eachAttemptUsesUpThe}</p>
    </>
  );
}
