// Lets an act through once the session has a fresh second factor: asks for one
// where there is none, then does the act by itself.
//
// 1. However many acts wait, one question is asked at a time.
// 2. An act is done again only when the server refused it for want of a fresh
//    factor, and so did nothing.
import { failureOf, needsFreshFactor } from "../api/failure";

// The person would rather not. No failure: nothing is to be told.
export class Declined extends Error {}

export class FreshFactorGate {
  private asking: Promise<boolean> | undefined;

  // `isFresh` is what this page believes; the server decides.
  constructor(
    private readonly isFresh: () => boolean,
    private readonly ask: () => Promise<boolean>,
  ) {}

  // Throws Declined, or what the act throws.
  async pass<T>(act: () => Promise<T>): Promise<T> {
    if (!this.isFresh()) await this.prove();
    try {
      return await act();
    } catch (error) {
      if (!needsFreshFactor(failureOf(error))) throw error;
    }
    await this.prove();
    return act();
  }

  private async prove(): Promise<void> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    if (!(await this.asking)) throw new Declined();
  }
}
