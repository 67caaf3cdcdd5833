import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EnvironmentProblemSchema } from "#proto/environment";
import { EnvironmentFormSchema } from "#proto/environment_form";
import {
  afterReading,
  afterWriting,
  isEdited,
  isRefused,
  kUnread,
  nextCall,
} from "../../../../src/features/environments/form/form_sync";

const formWith = (image: string, mounts: string[] = []) =>
  create(EnvironmentFormSchema, { image, mounts });
const problem = (line: number) =>
  create(EnvironmentProblemSchema, { number: 3, line, text: "wrong" });
const read = afterReading(kUnread, "a", formWith("a"), []);
const edited = { ...read, draft: { ...read.draft!, image: "b" } };

describe("an invalid text", () => {
  it("leaves the form as it was", () => {
    const broken = afterReading(read, "a = [", undefined, [problem(1)]);
    expect(broken.isTextInvalid).toBe(true);
    expect(broken.draft).toBe(read.draft);
    expect(broken.problems[0]!.line).toBe(1);
    expect(nextCall(broken, "a = [")).toBeUndefined();
    expect(nextCall(broken, "a = []")).toBe("read");
  });

  it("keeps what was typed into the form, until it is valid", () => {
    const broken = afterWriting(edited, "", undefined, [problem(2)]);
    expect(broken.isTextInvalid).toBe(true);
    expect(nextCall(broken, "fixed")).toBe("write");
    const written = afterWriting(broken, "fixed b", formWith("b"), []);
    expect(written.isTextInvalid).toBe(false);
    expect(written.problems).toEqual([]);
  });
});

describe("an invalid setting", () => {
  it("is a problem of the form, not of the text", () => {
    const refused = afterWriting(edited, "", undefined, [problem(0)]);
    expect(refused.isTextInvalid).toBe(false);
    expect(refused.draft!.image).toBe("b");
    expect(refused.text).toBe("a");
  });

  it("is not sent if a variable is there twice", () => {
    const twice = { name: "A", value: "" };
    const draft = { ...edited.draft, variables: [twice, twice] };
    expect(nextCall({ ...edited, draft }, "a")).toBeUndefined();
  });
});

describe("an edit that cannot be written", () => {
  it("is refused until the form or the text is corrected", () => {
    expect(isRefused(read)).toBe(false);
    expect(isRefused(edited)).toBe(false);
    const twice = { name: "A", value: "" };
    const draft = { ...edited.draft, variables: [twice, twice] };
    expect(isRefused({ ...edited, draft })).toBe(true);
    expect(isRefused(afterWriting(edited, "", undefined, [problem(0)]))).toBe(
      true,
    );
    // An invalid text without an edit can be saved.
    expect(isRefused(afterReading(read, "[", undefined, [problem(1)]))).toBe(
      false,
    );
  });
});

describe("a form without an edit", () => {
  const form = create(EnvironmentFormSchema, {
    baseEnvironments: ["/shared/a,b.toml"],
    image: "x ",
    mounts: ["/a:/b "],
    variables: { " A": "", A: "" },
  });

  it("is never written", () => {
    const opened = afterReading(kUnread, "text", form, []);
    expect(isEdited(opened)).toBe(false);
    expect(nextCall(opened, "text")).toBeUndefined();
    expect(nextCall(opened, "other")).toBe("read");
  });

  it("is not written either if it cannot be edited", () => {
    expect(nextCall(edited, "a", true)).toBeUndefined();
    expect(nextCall(edited, "other", true)).toBe("read");
  });
});

describe("form and text", () => {
  it("are read first, and then only after changes", () => {
    expect(nextCall(kUnread, "a")).toBe("read");
    expect(read.draft!.image).toBe("a");
    expect(nextCall(read, "a")).toBeUndefined();
  });

  it("follow each other", () => {
    expect(nextCall(read, "other")).toBe("read");
    expect(nextCall(edited, "a")).toBe("write");
    // Both were changed: the form's change is written into the new text.
    expect(nextCall(edited, "other")).toBe("write");
    const written = afterWriting(edited, "b", formWith("b"), []);
    expect(nextCall(written, "b")).toBeUndefined();
    expect(afterReading(written, "c", formWith("c"), []).draft!.image).toBe(
      "c",
    );
  });

  it("leave what is typed as it is while it means the same", () => {
    const draft = { ...read.draft!, mounts: "/a\n" };
    const written = afterWriting(
      { ...read, draft },
      "text",
      formWith("a", ["/a"]),
      [],
    );
    expect(written.draft).toBe(draft);
    expect(nextCall(written, "text")).toBeUndefined();
  });
});
