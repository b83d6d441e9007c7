import type { Ctx } from '../../src/context.ts'
import { deliverNotices } from '../../src/notices/deliver.ts'

/** Delivers one notice; answers what became of it. */
export async function deliverNotice(ctx: Ctx, id: number) {
  return (await deliverNotices(ctx, { ids: [id] })).get(id)
}
