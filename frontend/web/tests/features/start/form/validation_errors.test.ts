import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { ViolationSchema } from "#proto/jobs";
import {
  validationErrorsOf,
  firstPlace,
  visibleErrors,
} from "../../../../src/features/start/form/validation_errors";
import {
  blankForm,
  type StartForm,
} from "../../../../src/features/start/form/start_form";

const violation = (init: MessageInitShape<typeof ViolationSchema>) =>
  create(ViolationSchema, init);
const tooManyGpus = violation({
  field: "gpusPerNode",
  limit: "max_gpus_per_job",
  value: "2",
  source: "role user",
  message: "4 GPUs wanted, at most 2 allowed",
});

describe("a violation", () => {
  it("is shown at its field with limit and source", () => {
    expect(validationErrorsOf([], [tooManyGpus])).toEqual({
      gpusPerNode: [
        {
          message: "4 GPUs wanted, at most 2 allowed",
          limit: "max_gpus_per_job: 2, set by role user",
        },
      ],
    });
  });

  it("is shown next to Start without a field", () => {
    const stray = [
      violation({ field: "", message: "a" }),
      violation({ field: "jobs", message: "b" }),
    ];
    expect(validationErrorsOf([], stray)).toEqual({
      form: [{ message: "a" }, { message: "b" }],
    });
  });

  it("shows the known parts of its limit", () => {
    const limitOf = (init: MessageInitShape<typeof ViolationSchema>) =>
      validationErrorsOf([], [violation({ field: "nodes", ...init })])
        .nodes?.[0]?.limit;
    expect(limitOf({})).toBeUndefined();
    expect(limitOf({ source: "cluster" })).toBe("set by cluster");
    expect(limitOf({ limit: "max_nodes" })).toBe("max_nodes");
    expect(limitOf({ limit: "max_nodes", value: "2" })).toBe("max_nodes: 2");
  });

  it("is hidden while its field cannot be parsed", () => {
    const parseError = { field: "gpusPerNode", message: "unreadable" } as const;
    const { gpusPerNode } = validationErrorsOf([parseError], [tooManyGpus]);
    expect(gpusPerNode).toEqual([{ message: "unreadable" }]);
  });

  it("is hidden if a lower limit of the same count is exceeded", () => {
    const largestNode = violation({
      field: "gpusPerNode",
      limit: "max_gpus_per_node",
      value: "4",
      message: "the largest node has 4 GPUs",
    });
    const hours = violation({
      field: "gpusPerNode",
      limit: "max_gpu_hours",
      value: "1",
      message: "1 GPU-hour left",
    });
    const { gpusPerNode } = validationErrorsOf(
      [],
      [largestNode, tooManyGpus, hours],
    );
    expect(gpusPerNode?.map(({ message }) => message)).toEqual([
      "4 GPUs wanted, at most 2 allowed",
      "1 GPU-hour left",
    ]);
  });
});

describe("the first error", () => {
  it("is undefined without errors", () => {
    expect(firstPlace(validationErrorsOf([], []))).toBeUndefined();
  });

  it("follows the order of the form", () => {
    const stray = violation({ message: "a" });
    const found = validationErrorsOf([], [stray, tooManyGpus]);
    expect(firstPlace(found)).toBe("gpusPerNode");
    expect(firstPlace(validationErrorsOf([], [stray]))).toBe("form");
  });
});

describe("the errors shown in red", () => {
  const baseline = blankForm(create(GetClusterResponseSchema, {}));
  const missing = { field: "command", message: "enter a command" } as const;
  const shown = (
    edits: Partial<StartForm>,
    { attempted = false, linked = false } = {},
  ) =>
    Object.keys(
      visibleErrors([missing], [tooManyGpus], {
        form: { ...baseline, ...edits },
        baseline,
        attempted,
        linked,
      }),
    );

  it("are hidden before a change and after a start", () => {
    expect(shown({})).toEqual([]);
  });

  it("exclude untouched fields", () => {
    expect(shown({ kind: "batch" })).not.toContain("command");
  });

  it("include emptied fields and violations", () => {
    expect(shown({ command: " " })).toEqual(["command", "gpusPerNode"]);
  });

  it("are all shown after an attempt to start or a link", () => {
    expect(shown({}, { attempted: true })).toEqual(["command", "gpusPerNode"]);
    expect(shown({}, { linked: true })).toEqual(["command", "gpusPerNode"]);
  });
});
