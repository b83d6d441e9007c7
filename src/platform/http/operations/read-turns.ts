import type { Ctx } from '../../context.ts'
import { Turns } from '../../load/turns.ts'
import { turnOwner } from './caller-key.ts'

const turns = new Turns<string>(1, 2)

/**
 * A verb that reads thousands of rows, and runs when few others do: many at once would keep everybody waiting. What
 * `isHeavy` tells to read little does not wait.
 */
export function inReadTurn<Granted extends Ctx, Input, Result>(
  verb: (ctx: Granted, input: Input) => Promise<Result>,
  isHeavy: (input: Input) => boolean = () => true,
): (ctx: Granted, input: Input) => Promise<Result> {
  return (ctx, input) =>
    isHeavy(input) ? turns.run(turnOwner(ctx), () => verb(ctx, input)) : verb(ctx, input)
}
