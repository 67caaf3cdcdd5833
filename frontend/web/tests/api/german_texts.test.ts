import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { languages } from "#languages";
import { JobAppSchema, ViolationSchema } from "#proto/jobs";
import { TextCodeSchema } from "#proto/text_code";
import { failureOf } from "../../src/api/failure";
import { translateTexts } from "../../src/api/translate_texts";
import {
  expectServerMessages,
  serverMessagesArrived,
} from "../../src/lib/language/catalogue";

const german = languages.find(({ code }) => code === "de")?.loadServer;
if (!german) throw new Error("no texts of the server in German");
expectServerMessages(german());
await serverMessagesArrived();

it("a detail with the code of another text's values stays in English", () => {
  const app = create(JobAppSchema, {
    detail: "the app ended with exit code 3",
    detailCode: {
      code: "AGENT_APP_ENDED",
      parameters: [{ name: "signal", value: "9" }],
    },
  });
  translateTexts(app);
  expect(app.detail).toBe("the app ended with exit code 3");
});

it("the end of an app is in German, with the last line of its log", () => {
  const app = create(JobAppSchema, {
    detail: "the app ended with exit code 3: no licence left",
    detailCode: {
      code: "AGENT_WITH_LAST_LINE",
      parameters: [
        {
          name: "end",
          value: "the app ended with exit code 3",
          code: {
            code: "AGENT_APP_ENDED",
            parameters: [{ name: "exit_code", value: "3" }],
          },
        },
        { name: "line", value: "no licence left" },
      ],
    },
  });
  translateTexts(app);
  expect(app.detail).toBe("die App endete mit Exit-Code 3: no licence left");
});

it("the progress of a copy is in German, with its remark", () => {
  const app = create(JobAppSchema, {
    detail: "1.2 GB of 3.0 GB copied from the node; started before the time…",
    detailCode: {
      code: "TEXT_LIST",
      parameters: [
        {
          name: "text",
          code: {
            code: "AGENT_COPYING_FROM_NODE",
            parameters: [
              { name: "copied", value: "1.2 GB" },
              { name: "all", value: "3.0 GB" },
            ],
          },
        },
        { name: "text", code: { code: "AGENT_COPY_STARTED_EARLY" } },
      ],
    },
  });
  translateTexts(app);
  expect(app.detail).toBe(
    "1.2 GB von 3.0 GB vom Knoten kopiert; vor dem Ende der Laufzeit begonnen",
  );
});

const partition = {
  code: "LIMIT_SOURCE_PARTITION",
  parameters: [{ name: "partition", value: "main" }],
};

it("the source of a limit is in German", () => {
  const violation = create(ViolationSchema, {
    source: "partition main",
    sourceCode: partition,
  });
  translateTexts(violation);
  expect(violation.source).toBe("Partition main");
});

it("the source of a limit in an error is in German", () => {
  const error = new ConnectError(
    "walltime would be 91 min: partition main allows at most 90 min",
    Code.PermissionDenied,
  );
  const code = create(TextCodeSchema, {
    code: "EXTENSION_LIMIT_EXCEEDED",
    parameters: [
      { name: "walltime", value: "91 min" },
      { name: "source", value: "partition main", code: partition },
      { name: "max", value: "90 min" },
    ],
  });
  const metadata = {
    walltime: "91 min",
    source: "partition main",
    max: "90 min",
  };
  error.details.push(
    {
      type: "google.rpc.ErrorInfo",
      value: new Uint8Array(),
      debug: { reason: "EXTENSION_LIMIT_EXCEEDED", metadata },
    },
    {
      type: TextCodeSchema.typeName,
      value: toBinary(TextCodeSchema, code),
    },
  );
  expect(failureOf(error).sentence).toBe(
    "Die Laufzeit wäre 91 min; Partition main erlaubt höchstens 90 min.",
  );
});
