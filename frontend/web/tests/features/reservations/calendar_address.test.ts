import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AccessTokenSchema } from "#proto/account";
import {
  calendarAddress,
  calendarTokens,
} from "../../../src/features/reservations/calendar_address";

const token = (id: string, scopes: string[]) =>
  create(AccessTokenSchema, { id, scopes });

describe("the address of the calendar", () => {
  it("belongs to no token of a script", () => {
    expect(
      calendarTokens([
        token("a", []),
        token("b", ["reservations:read"]),
        token("c", ["calendar:read", "jobs:read"]),
        token("d", ["calendar:read"]),
      ]).map(({ id }) => id),
    ).toEqual(["d"]);
  });
  it("has the token, and the cluster if there are several", () => {
    const address = (cluster: string) =>
      calendarAddress("https://carme.test", "carme_x", cluster);
    expect(address("")).toBe(
      "https://carme.test/calendar/reservations.ics?token=carme_x",
    );
    expect(address("beta")).toBe(`${address("")}&cluster=beta`);
  });
});
