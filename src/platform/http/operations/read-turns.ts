import type { Ctx } from '../../context.ts'
import { Turns } from '../../lib/turns.ts'
import { turnOwner } from './caller-key.ts'

const turns = new Turns<string>(1, 2)

/** A verb that reads thousands of rows, and runs when few others do: many at once would keep everybody waiting. */
export function inReadTurn<Granted extends Ctx, Input, Result>(
  verb: (ctx: Granted, input: Input) => Promise<Result>,
): (ctx: Granted, input: Input) => Promise<Result> {
  return (ctx, input) => turns.run(turnOwner(ctx), () => verb(ctx, input))
}
