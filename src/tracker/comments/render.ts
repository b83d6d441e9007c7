import * as z from 'zod'
import { parseBugRefs, requireVisibleBugs, resolveBugs } from '../../platform/access/bug-set.ts'
import { bugAccessFaults } from '../../platform/access/faults.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { fault } from '../../platform/faults/fault.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { requiredText, text } from '../../platform/http/operations/shapes.ts'
import { parseComment } from '../../platform/lib/markdown/markdown.ts'
import { cleanBody, lengthOf } from '../../platform/lib/text.ts'
import { commentTooLong } from './faults.ts'
import { linkTargets, renderInTurn, selectLinked } from './linked.ts'
import { MAX_COMMENT_LENGTH } from './plan.ts'

/** Characters of a text by somebody without an account, because to parse it costs everybody else. */
const MAX_ANONYMOUS_LENGTH = 10_000

/**
 * Renders a text as safe HTML, as if it were a comment on the bug `id`. Hidden bugs and attachments look
 * like missing ones.
 */
export const renderComment = operation(
  {
    method: 'POST',
    path: '/bug/comment/render',
    summary: 'Show a text as it would look as a comment',
    reference: 'comments.md#render-a-text',
    input: z.object({ text: requiredText(), id: text() }),
    output: z.strictObject({ html: z.string() }),
    faults: [...bugAccessFaults, commentTooLong],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { caller, settings, baseUrl } = ctx
    const body = cleanBody(input.text)
    const most = caller.kind === 'anonymous' ? MAX_ANONYMOUS_LENGTH : MAX_COMMENT_LENGTH
    if (lengthOf(body) > most) {
      throw fault(commentTooLong, { most })
    }
    const refs = input.id === undefined ? [] : parseBugRefs(input.id)
    return renderInTurn(ctx, body.length, async () => {
      const prose = await parseComment(body, {
        baseUrl,
        isOnBug: refs.length > 0,
        isMarkdown: settings.USE_MARKDOWN,
      })
      const { resolved, ...linked } = await readBatch(ctx, {
        resolved: refs.length === 0 ? undefined : resolveBugs(caller, refs),
        ...selectLinked(caller, prose),
      })
      const [bugId = null] = requireVisibleBugs(caller, refs, resolved ?? [])
      return { html: prose.toHtml(linkTargets(bugId, linked)) }
    })
  },
)
