import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EnvironmentProblemSchema } from "#proto/environment";
import { EnvironmentFormSchema } from "#proto/environment_form";
import { kUnread } from "../../../../src/features/environments/form/form_sync";
import {
  FormSyncer,
  type FormSyncerOptions,
  kDebounceMs,
} from "../../../../src/features/environments/form/form_syncer";

type Form = { image: string };

// A server for texts that are the name of an image. Answers arrive when a test
// calls `answer`, also those of calls that have ended.
class FakeServer {
  readonly calls: string[] = [];
  readonly answers: (() => void)[] = [];
  refuses = false;

  readEnvironmentForm = ({ text }: { text: string }) =>
    this.later(`read ${text}`, () => ({ form: formWith(text), problems: [] }));

  writeEnvironmentForm = (request: { text: string; after: Form }) => {
    const { image } = request.after;
    return this.later(`write ${image} into ${request.text}`, () =>
      this.refuses
        ? { text: "", problems: [create(EnvironmentProblemSchema, {})] }
        : { text: image, form: formWith(image), problems: [] },
    );
  };

  private later<T>(call: string, answer: () => T): Promise<T> {
    this.calls.push(call);
    return new Promise((resolve) => this.answers.push(() => resolve(answer())));
  }

  async answer() {
    this.answers.shift()!();
    await vi.advanceTimersByTimeAsync(0);
  }
}

const formWith = (image: string) => create(EnvironmentFormSchema, { image });
const wait = () => vi.advanceTimersByTimeAsync(kDebounceMs);

function started(isReadOnly = false) {
  const server = new FakeServer();
  const texts: string[] = [];
  let shown = kUnread;
  const syncer = new FormSyncer({
    client: server as unknown as FormSyncerOptions["client"],
    isReadOnly,
    onChange: (sync) => (shown = sync),
    onText: (text) => texts.push(text),
    isOver: () => false,
  });
  const type = (image: string) => syncer.edit({ ...shown.draft!, image });
  return { server, texts, syncer, type, sync: () => shown };
}

async function opened(isReadOnly = false) {
  const all = started(isReadOnly);
  all.syncer.setText("a");
  await wait();
  await all.server.answer();
  all.server.calls.length = 0;
  return all;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a read-only text is read and never written", async () => {
  const { server, type, sync } = await opened(true);
  type("b");
  await wait();
  expect(server.calls).toEqual([]);
  expect(sync().draft!.image).toBe("a");
});

test("an edit is written shortly after the last key", async () => {
  const { server, texts, type } = await opened();
  type("b");
  type("bc");
  expect(server.calls).toEqual([]);
  await wait();
  await server.answer();
  await wait();
  expect(server.calls).toEqual(["write bc into a"]);
  expect(texts).toEqual(["bc"]);
});

test("a key in the form outlives an answer that arrives just after", async () => {
  const { server, texts, type, sync } = await opened();
  type("b");
  await wait();
  type("bc");
  await server.answer();
  expect(sync().draft!.image).toBe("bc");
  expect(texts).toEqual([]);
  await wait();
  await server.answer();
  expect(server.calls).toEqual(["write b into a", "write bc into a"]);
  expect(texts).toEqual(["bc"]);
});

test("a key in the form outlives the answer of a reading", async () => {
  const { server, syncer, type, sync } = await opened();
  syncer.setText("other");
  await wait();
  type("b");
  await server.answer();
  expect(sync().draft!.image).toBe("b");
  await wait();
  expect(server.calls).toEqual(["read other", "write b into other"]);
});

test("a key in the text outlives an answer that arrives just after", async () => {
  const { server, texts, syncer, type } = await opened();
  type("b");
  await wait();
  syncer.setText("typed");
  await server.answer();
  expect(texts).toEqual([]);
  await wait();
  expect(server.calls).toEqual(["write b into a", "write b into typed"]);
});

test("a reset discards an edit, also one that is being written", async () => {
  const { server, texts, syncer, type, sync } = await opened();
  type("b");
  syncer.reset();
  await wait();
  expect(server.calls).toEqual(["read a"]);
  await server.answer();
  type("c");
  await wait();
  syncer.reset();
  await server.answer();
  await wait();
  await server.answer();
  expect(texts).toEqual([]);
  expect(sync().draft!.image).toBe("a");
});

test("a flush without an edit returns the text", async () => {
  const { server, syncer } = await opened();
  expect(await syncer.flush()).toBe("a");
  expect(server.calls).toEqual([]);
});

test("a flush writes at once, and what is typed in the meantime", async () => {
  const { server, texts, syncer, type } = await opened();
  type("b");
  const flushed = syncer.flush();
  expect(server.calls).toEqual(["write b into a"]);
  type("bc");
  await server.answer();
  await server.answer();
  expect(await flushed).toBe("bc");
  expect(texts).toEqual(["bc"]);
});

test("a flush returns nothing for a refused or discarded edit", async () => {
  const { server, syncer, type, sync } = await opened();
  const twice = { name: "A", value: "" };
  syncer.edit({ ...sync().draft!, variables: [twice, twice] });
  expect(await syncer.flush()).toBeUndefined();
  syncer.edit({ ...sync().draft!, variables: [], image: "b" });
  server.refuses = true;
  const refused = syncer.flush();
  await server.answer();
  expect(await refused).toBeUndefined();
  type("c");
  const discarded = syncer.flush();
  syncer.reset();
  await server.answer();
  expect(await discarded).toBeUndefined();
});

test("a flush fails as its call, which is repeated later", async () => {
  const { server, texts, syncer, type } = await opened();
  const works = server.writeEnvironmentForm;
  server.writeEnvironmentForm = () =>
    Promise.reject(new ConnectError("busy", Code.Unavailable));
  type("b");
  await expect(syncer.flush()).rejects.toThrow("busy");
  server.writeEnvironmentForm = works;
  await vi.advanceTimersByTimeAsync(1500);
  await server.answer();
  expect(texts).toEqual(["b"]);
});
