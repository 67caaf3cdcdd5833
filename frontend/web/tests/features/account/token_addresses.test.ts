import { describe, expect, it } from "vitest";
import { addressesOf } from "../../../src/features/account/token_addresses";

describe("the addresses of a token", () => {
  it("are empty for empty text", () => {
    expect(addressesOf("")).toEqual([]);
    expect(addressesOf(" , \n")).toEqual([]);
  });

  it("are separated by commas, spaces or line ends", () => {
    expect(addressesOf("192.0.2.0/24, 2001:db8::/32\n::1")).toEqual([
      "192.0.2.0/24",
      "2001:db8::/32",
      "::1",
    ]);
  });
});
