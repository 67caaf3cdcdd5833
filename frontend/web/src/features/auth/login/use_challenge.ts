// A login challenge, until it is answered or expires.
import { useEvent } from "../../../lib/use_event";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import type {
  VerifyFactorRequestSchema,
  VerifyFactorResponse,
} from "#proto/auth";
import { authClient } from "../../../api/core";
import { type Failure, failureOf, isSessionEnd } from "../../../api/failure";
import { kStepMs } from "../factors/code";
import { nextStepAfter } from "./login_step";
import { messages } from "#messages/auth";

export type FactorAnswer = Omit<
  MessageInitShape<typeof VerifyFactorRequestSchema>,
  "$typeName" | "challenge"
>;

export interface Challenge {
  readonly busy: boolean;
  readonly failure: Failure | undefined;
  verify(answer: FactorAnswer): Promise<void>;
  fail(failure: Failure): void; // for failures of the browser
}

export function useChallenge(props: {
  challenge: string;
  onVerified(answer: VerifyFactorResponse): void;
  onStartOver(reason: string): void;
  onPasswordRefused(failure: Failure): void;
}): Challenge {
  const { challenge, onVerified, onStartOver } = props;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const tries = useRef(0);

  const expire = useEvent(() => onStartOver(messages.theLoginTimedOut));
  useEffect(() => {
    tries.current = 0;
    setFailure(undefined);
    if (!challenge) return;
    const timer = setTimeout(expire, kStepMs);
    return () => clearTimeout(timer);
  }, [challenge, expire]);

  const verify = async (answer: FactorAnswer) => {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      onVerified(await authClient.verifyFactor({ challenge, ...answer }));
    } catch (error) {
      refused(failureOf(error), !!answer.newPassword);
    }
    setBusy(false);
  };
  const refused = (next: Failure, sentNewPassword: boolean) => {
    if (isSessionEnd(next)) tries.current++;
    const nextStep = nextStepAfter(next, tries.current, sentNewPassword);
    if (nextStep === "start-over") onStartOver(next.sentence);
    else if (nextStep === "new-password") props.onPasswordRefused(next);
    else setFailure(next);
  };
  return { busy, failure, verify, fail: setFailure };
}
