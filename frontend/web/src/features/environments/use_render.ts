// Renders a text on the server, shortly after the last key.
import { useEffect, useState } from "preact/hooks";
import type { RenderEnvironmentResponse } from "#proto/environment";
import { environmentClient } from "../../api/environment";
import { type Failure, failureOf, isPassing } from "../../api/failure";
import { useSession } from "../../session/session_context";

const kDebounceMs = 300;
const kAgainMs = 1500;

export interface Rendering {
  readonly text: string; // the text that was rendered
  readonly answer: RenderEnvironmentResponse | undefined;
  readonly failure: Failure | undefined;
}

// The last result is kept until a newer one arrives.
export function useRender(text: string, name: string): Rendering | undefined {
  const { endIfOver } = useSession();
  const [rendering, setRendering] = useState<Rendering>();

  useEffect(() => {
    const call = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      try {
        const { signal } = call;
        const answer = await environmentClient.renderEnvironment(
          { text, name },
          { signal },
        );
        setRendering({ text, answer, failure: undefined });
      } catch (error) {
        if (call.signal.aborted) return;
        const failure = failureOf(error);
        if (endIfOver(failure)) return;
        if (isPassing(failure)) timer = setTimeout(() => void ask(), kAgainMs);
        else setRendering({ text, answer: undefined, failure });
      }
    };
    timer = setTimeout(() => void ask(), kDebounceMs);
    return () => {
      clearTimeout(timer);
      call.abort();
    };
  }, [text, name, endIfOver]);

  return rendering;
}
