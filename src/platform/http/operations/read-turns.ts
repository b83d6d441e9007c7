import type { Ctx } from '../../context.ts'
import { Turns } from '../../load/turns.ts'
import { turnOwner } from './caller-key.ts'

const reads = new Turns<string>(1, 2)
const scans = new Turns<string>(1)

type Verb<Granted extends Ctx, Input, Result> = (ctx: Granted, input: Input) => Promise<Result>

/**
 * A verb that reads thousands of rows, and runs when few others do: many at once would keep everybody waiting. What
 * `isHeavy` tells to read little does not wait.
 */
export function inReadTurn<Granted extends Ctx, Input, Result>(
  verb: Verb<Granted, Input, Result>,
  isHeavy: (input: Input) => boolean = () => true,
): Verb<Granted, Input, Result> {
  return (ctx, input) =>
    isHeavy(input) ? runInReadTurn(ctx, () => verb(ctx, input)) : verb(ctx, input)
}

/** Runs a part of a verb in the same turns. */
export function runInReadTurn<Result>(
  ctx: Pick<Ctx, 'caller' | 'ip'>,
  read: () => Promise<Result>,
): Promise<Result> {
  return reads.run(turnOwner(ctx), read)
}

/** The same for a verb that may read for most of a second with pauses: one at a time, for which no other read waits. */
export function inScanTurn<Granted extends Ctx, Input, Result>(
  verb: Verb<Granted, Input, Result>,
  isHeavy: (input: Input) => boolean = () => true,
): Verb<Granted, Input, Result> {
  return (ctx, input) =>
    isHeavy(input) ? scans.run(turnOwner(ctx), () => verb(ctx, input)) : verb(ctx, input)
}
